import { afterEach, describe, expect, it } from 'vitest';
import { ConnectionError, NotFoundError, ServerError, TimeoutError, Tito, UsageError } from '../src/index.js';
import {
  ABORT,
  chunkOf,
  envelope,
  type FakeServer,
  fakeServer,
  frame,
  GENERATE,
  type Script,
  startStream,
} from './fake-server.js';

const request = { token_ids: [1, 2], sampling_params: { max_tokens: 4 } };
let server: FakeServer;
afterEach(() => server.close());

const serve = async (script: Script, more: Record<string, Script> = {}, options = {}): Promise<Tito> => {
  server = await fakeServer({ [GENERATE]: script, ...more });
  return new Tito({ baseUrl: server.url, abortGraceMs: 300, ...options });
};

/** Two chunks at once, then nothing until the caller leaves. */
const hanging: Script = (response) => {
  startStream(response);
  response.write(frame(chunkOf([5])) + frame(chunkOf([6])));
};

describe('a stream', () => {
  it('gives chunks in order, and the sequences merged', async () => {
    const client = await serve((response) => {
      startStream(response);
      response.write(frame(chunkOf([5])) + frame(chunkOf([8], null, 1)));
      response.write(frame(chunkOf([6], 'length')) + frame(chunkOf([], 'stop', 1)));
      response.end(
        frame({ request_id: 'x', choices: [], usage: { prompt_tokens: 2, total_tokens: 5 } }) +
          frame('[DONE]'),
      );
    });
    const stream = client.stream(request);
    const choices = await stream.result();
    expect(choices.map(({ token_ids, finish_reason }) => [token_ids, finish_reason])).toEqual([
      [[5, 6], 'length'],
      [[8], 'stop'],
    ]);
    expect(stream.usage?.total_tokens).toBe(5);
    expect(server.paths()).toEqual([GENERATE]);
  });

  it('can be read once only', async () => {
    const client = await serve((response) => {
      startStream(response);
      response.end(frame(chunkOf([5], 'stop')) + frame('[DONE]'));
    });
    const stream = client.stream(request);
    await stream.result();
    await expect(stream.result()).rejects.toThrow(UsageError);
    expect(server.paths()).toEqual([GENERATE]);
  });

  it('that is left by break is aborted by its id, and the connection closed', async () => {
    const client = await serve(hanging);
    const stream = client.stream(request, { requestId: 'mine' });
    for await (const _ of stream) break;
    expect(server.paths()).toEqual([GENERATE, ABORT]);
    expect(server.seen[0]!.headers['x-request-id']).toBe('mine');
    expect(server.seen[1]!.body).toEqual({ request_ids: ['generate-tokens-mine'] });
    await expect.poll(() => server.seen[0]!.left).toBe(true);
  });

  it('that its reader throws out of is aborted, too', async () => {
    const client = await serve(hanging);
    const reading = async (): Promise<void> => {
      for await (const _ of client.stream(request)) throw new RangeError('mine');
    };
    await expect(reading()).rejects.toThrow('mine');
    expect(server.paths()).toEqual([GENERATE, ABORT]);
  });

  it('ends quietly at the signal, with the chunks that the server still sends', async () => {
    let answer: Parameters<Script>[0] | undefined;
    const client = await serve(
      (response, seen, nth) => {
        answer = response;
        return hanging(response, seen, nth);
      },
      {
        [ABORT]: (response) => {
          response.end();
          answer!.end(frame(chunkOf([], 'abort')) + frame('[DONE]'));
        },
      },
    );
    const controller = new AbortController();
    const stream = client.stream(request, { signal: controller.signal });
    for await (const _ of stream) controller.abort();
    expect(stream.choices[0]).toMatchObject({ token_ids: [5, 6], finish_reason: 'abort' });
    expect(server.paths()).toEqual([GENERATE, ABORT]);
  });

  it('ends quietly at the signal when the server never answers', async () => {
    const client = await serve(() => undefined);
    const stream = client.stream(request, { signal: AbortSignal.timeout(50) });
    expect(await stream.result()).toEqual([]);
    expect(server.paths()).toEqual([GENERATE, ABORT]);
  });

  it('of a signal that has fired sends nothing', async () => {
    const client = await serve(hanging);
    expect(await client.stream(request, { signal: AbortSignal.abort() }).result()).toEqual([]);
    expect(server.paths()).toEqual([]);
  });

  it('throws the message of an error frame; the tokens so far can be read', async () => {
    const client = await serve((response) => {
      startStream(response);
      response.write(frame(chunkOf([5, 6])));
      response.end(frame(envelope('the engine died', 'InternalServerError', 500)) + frame('[DONE]'));
    });
    const stream = client.stream(request);
    const error = await stream.result().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ServerError);
    expect(error).toMatchObject({ message: 'the engine died', status: 500, type: 'InternalServerError' });
    expect(stream.choices[0]!.token_ids).toEqual([5, 6]);
    expect(server.paths()).toEqual([GENERATE]);
  });

  it('throws an error frame that comes first, without a second try', async () => {
    const client = await serve((response) => {
      startStream(response);
      response.end(frame(envelope('no such model', 'NotFoundError', 404, 'model')) + frame('[DONE]'));
    });
    await expect(client.stream(request).result()).rejects.toThrow(NotFoundError);
    expect(server.paths()).toEqual([GENERATE]);
  });

  it.each([
    ['ends without [DONE]', (response: Parameters<Script>[0]) => void response.end()],
    ['is cut', (response: Parameters<Script>[0]) => void response.destroy()],
  ])('that %s after a chunk is an error, and is not sent again', async (_, end) => {
    const client = await serve((response) => {
      startStream(response);
      response.write(frame(chunkOf([5])), () => setTimeout(end, 50, response));
    });
    const stream = client.stream(request);
    await expect(stream.result()).rejects.toThrow(ConnectionError);
    expect(stream.choices[0]!.token_ids).toEqual([5]);
    expect(server.paths()).toEqual([GENERATE]);
  });

  it('that is cut before its first chunk is sent again, under the same id', async () => {
    const client = await serve((response, _, nth) => {
      startStream(response);
      if (nth === 0) setTimeout(() => response.destroy(), 20);
      else response.end(frame(chunkOf([7], 'stop')) + frame('[DONE]'));
    });
    expect((await client.stream(request).result())[0]!.token_ids).toEqual([7]);
    expect(server.paths()).toEqual([GENERATE, GENERATE]);
    const [first, second] = server.seen.map(({ headers }) => headers['x-request-id']);
    expect(first).toBe(second);
  });

  it('times out on silence, not on a slow reader, and tells the server', async () => {
    const client = await serve(hanging, {}, { timeoutMs: 200 });
    const stream = client.stream(request);
    const reading = async (): Promise<void> => {
      for await (const _ of stream) await new Promise((resolve) => setTimeout(resolve, 300));
    };
    await expect(reading()).rejects.toThrow(TimeoutError);
    expect(stream.choices[0]!.token_ids).toEqual([5, 6]);
    expect(server.paths()).toEqual([GENERATE, ABORT]);
  });

  it('of text is an error on a server that predates the mode', async () => {
    const client = await serve(hanging);
    const asked = { ...request, output_mode: 'text' as const };
    await expect(client.stream(asked).result()).rejects.toThrow('output_mode');
    expect(server.paths()).toEqual([GENERATE, ABORT]);
  });
});
