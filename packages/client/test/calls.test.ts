import { afterEach, describe, expect, it } from 'vitest';
import {
  ApiError,
  AuthenticationError,
  BadRequestError,
  ConnectionError,
  NotFoundError,
  PermissionDeniedError,
  ServerError,
  TimeoutError,
  Tito,
  UnavailableError,
} from '../src/index.js';
import { retryAfterOf } from '../src/retry.js';
import {
  ABORT,
  envelope,
  type FakeServer,
  fakeServer,
  GENERATE,
  type Script,
  sendError,
} from './fake-server.js';

const request = { token_ids: [1, 2], sampling_params: { max_tokens: 4 } };
const answer = {
  request_id: 'generate-tokens-x',
  choices: [{ index: 0, token_ids: [5], finish_reason: 'stop' }],
};
let server: FakeServer;
afterEach(() => server.close());

const serve = async (script: Script, more: Record<string, Script> = {}, options = {}): Promise<Tito> => {
  server = await fakeServer({ [GENERATE]: script, ...more });
  return new Tito({ baseUrl: server.url, abortGraceMs: 300, ...options });
};
const ok: Script = (response) => sendError(response, 200, answer);

describe('errors', () => {
  it.each([
    [400, BadRequestError, envelope('too hot', 'BadRequestError', 400, 'temperature')],
    [401, AuthenticationError, { error: 'Unauthorized' }],
    [403, PermissionDeniedError, envelope('disabled', 'PermissionDeniedError', 403)],
    [404, NotFoundError, { detail: 'Not Found' }],
    [413, ApiError, envelope('too large', 'RequestEntityTooLargeError', 413)],
    [500, ServerError, envelope('broken', 'InternalServerError', 500)],
    [502, ServerError, '<html>Bad Gateway</html>'],
  ])('of status %i are of their class', async (status, Class, body) => {
    const client = await serve((response) => sendError(response, status, body, { 'X-Request-Id': 'seen' }));
    for (const call of [() => client.generate(request), () => client.stream(request).result()]) {
      const error = (await call().catch((thrown: unknown) => thrown)) as ApiError;
      expect(error.constructor).toBe(Class);
      const details = (body as { error?: { message?: string; param?: string; type?: string; code?: number } })
        .error;
      expect(error).toMatchObject({
        status,
        requestId: 'seen',
        type: details?.type ?? null,
        param: details?.param ?? null,
        code: details?.code ?? null,
      });
      const said = details?.message ?? details ?? (body as { detail?: string }).detail ?? body;
      expect(error.message).toBe(said);
    }
    expect(server.paths()).toEqual([GENERATE, GENERATE]);
  });
});

describe('retries', () => {
  it('wait as long as a 503 asks', async () => {
    const client = await serve((response, seen, nth) =>
      nth === 0
        ? sendError(response, 503, envelope('full', 'X', 503), { 'Retry-After': '1' })
        : ok(response, seen, nth),
    );
    const start = performance.now();
    expect(await client.generate(request)).toEqual(answer);
    expect(performance.now() - start).toBeGreaterThan(990);
    expect(server.paths()).toEqual([GENERATE, GENERATE]);
  });

  it('end with the error', async () => {
    const full: Script = (response) =>
      sendError(response, 503, envelope('full', 'X', 503), { 'Retry-After': '0' });
    const client = await serve(full, {}, { retries: 3 });
    await expect(client.generate(request)).rejects.toThrow(UnavailableError);
    await expect(client.stream(request, { retries: 1 }).result()).rejects.toThrow(UnavailableError);
    expect(server.paths().length).toBe(4 + 2);
  });

  it('follow a dropped connection', async () => {
    const client = await serve((response, seen, nth) => {
      if (nth > 0) return ok(response, seen, nth);
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '500' });
      response.write('{"request_id":');
      setTimeout(() => response.destroy(), 20);
    });
    expect(await client.generate(request)).toEqual(answer);
    expect(server.paths()).toEqual([GENERATE, GENERATE]);
  });

  it('give up on a server that is not there', async () => {
    const client = await serve(ok);
    const gone = new Tito({ baseUrl: 'http://127.0.0.1:1', retries: 1 });
    await expect(gone.generate(request)).rejects.toThrow(ConnectionError);
    await expect(gone.stream(request).result()).rejects.toThrow(ConnectionError);
    expect(await client.generate(request)).toEqual(answer);
  });

  it('read both forms of Retry-After', () => {
    expect(retryAfterOf('2.5')).toBe(2500);
    expect(retryAfterOf('Thu, 01 Jan 1970 00:00:09 GMT', 4000)).toBe(5000);
    expect(retryAfterOf('soon')).toBeNull();
    expect(retryAfterOf(null)).toBeNull();
  });
});

describe('calls', () => {
  it('send key, headers and id, through a fetch of the caller', async () => {
    const urls: string[] = [];
    const client = await serve(
      ok,
      {},
      {
        apiKey: 'secret',
        headers: { 'X-Team': 'red' },
        fetch: (one: Request) => {
          urls.push(new URL(one.url).pathname);
          return fetch(one);
        },
      },
    );
    await client.generate(request, { requestId: 'mine' });
    expect(server.seen[0]!.headers).toMatchObject({
      authorization: 'Bearer secret',
      'x-team': 'red',
      'x-request-id': 'mine',
    });
    expect(server.seen[0]!.body).toEqual({ ...request, stream: false });
    expect(urls).toEqual([GENERATE]);
  });

  it('time out, once, and tell the server', async () => {
    const client = await serve(() => undefined, {}, { timeoutMs: 100 });
    await expect(client.generate(request)).rejects.toThrow(TimeoutError);
    expect(server.paths()).toEqual([GENERATE, ABORT]);
  });

  it('answer what was generated until the signal', async () => {
    let waiting: Parameters<Script>[0] | undefined;
    const partial = { ...answer, choices: [{ index: 0, token_ids: [5], finish_reason: 'abort' }] };
    const client = await serve(
      (response) => {
        waiting = response;
      },
      {
        [ABORT]: (response) => {
          response.end();
          sendError(waiting!, 200, partial);
        },
      },
    );
    expect(await client.generate(request, { signal: AbortSignal.timeout(50), requestId: 'a' })).toEqual(
      partial,
    );
    expect(server.seen[1]!.body).toEqual({ request_ids: ['generate-tokens-a'] });
  });

  it('reject with the signal when the server keeps silent', async () => {
    const client = await serve(() => undefined);
    const controller = new AbortController();
    setTimeout(() => controller.abort(new RangeError('enough')), 50);
    await expect(client.generate(request, { signal: controller.signal })).rejects.toThrow('enough');
    expect(server.paths()).toEqual([GENERATE, ABORT]);
  });

  it('abort by id', async () => {
    const client = await serve(ok);
    await client.abort(['generate-tokens-a', 'generate-tokens-b']);
    expect(server.seen[0]!.body).toEqual({ request_ids: ['generate-tokens-a', 'generate-tokens-b'] });
  });
});
