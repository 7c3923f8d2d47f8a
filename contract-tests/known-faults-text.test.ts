/** Faults that similar servers had in render, derender and tokenizing, each as a test from outside, on the tiny model. */
import { describe, expect, it } from 'vitest';
import type { GenerateRequest } from '../generated/types.js';
import { framesOf } from './client.js';
import { tinyServer } from './tiny-server.js';

const tiny = tinyServer(['--trust-request-chat-template']);
const USER = [{ role: 'user', content: 'hello' }];

async function post<T = Record<string, unknown>>(
  path: string,
  body: unknown,
): Promise<{ status: number; json: T }> {
  const response = await tiny.caller.post(path, body);
  return { status: response.status, json: (await response.json()) as T };
}
const renderChat = (body: object) =>
  post<GenerateRequest & { error?: { message: string } }>('/v1/chat/completions/render', body);
const textOf = async (ids: readonly number[]): Promise<unknown> =>
  (await post<{ prompt: string }>('/detokenize', { tokens: ids })).json.prompt;

describe('render', () => {
  it('writes JSON in templates as Python does', async () => {
    const chat_template = '{{ messages[0].tool_calls[0].function.arguments | tojson }}';
    const sent = '{"b":1,"a":"é/<&\'","c":1.0,"d":{}}';
    const call = { id: 'c', type: 'function', function: { name: 'f', arguments: sent } };
    const { json } = await renderChat({
      messages: [{ role: 'assistant', tool_calls: [call] }],
      chat_template,
    });
    expect(await textOf(json.token_ids)).toBe('{"b": 1, "a": "é/<&\'", "c": 1.0, "d": {}}');
  });

  it('takes arguments of earlier calls as JSON or as an object, and refuses what is neither', async () => {
    const chat_template = '{{ messages[1].tool_calls[0].function.arguments | tojson }}';
    const render = (sent: unknown) => {
      const calls = [{ id: 'c', type: 'function', function: { name: 'f', arguments: sent } }];
      return renderChat({ messages: [...USER, { role: 'assistant', tool_calls: calls }], chat_template });
    };
    const ids = (await render('{"city":"Paris"}')).json.token_ids;
    expect(await textOf(ids)).toBe('{"city": "Paris"}');
    expect(await textOf((await render('')).json.token_ids)).toBe('{}');
    for (const broken of ['[1]', '"x"', '{"a"']) {
      const { status, json } = await render(broken);
      expect([status, json.error?.message]).toEqual([400, expect.stringContaining('messages.1')]);
    }
  });

  it("answers a template's failure with its message and line, and goes on", async () => {
    const failing: Array<[string, RegExp]> = [
      ["a\n{{ raise_exception('not so') }}", /line 2: not so/],
      ['{{ 1 | no_such_filter }}', /line 1: .*no_such_filter/],
      ['{% if %}', /cannot be read in line 1/],
    ];
    for (const [chat_template, message] of failing) {
      const { status, json } = await renderChat({ messages: USER, chat_template });
      expect([status, json.error?.message]).toEqual([400, expect.stringMatching(message)]);
    }
    expect((await renderChat({ messages: USER })).status).toBe(200);
  });

  it('gives what generate takes as it is', async () => {
    const fields = {
      max_tokens: 3,
      seed: 7,
      stop: ['zzz'],
      logprobs: true,
      top_logprobs: 2,
      cache_salt: 's',
    };
    const { json } = await renderChat({ messages: USER, return_token_ids: true, ...fields });
    expect(json).toMatchObject({ cache_salt: 's', return_token_ids: true, stream: false });
    expect(json.sampling_params).toMatchObject({ max_tokens: 3, seed: 7, stop: ['zzz'], logprobs: 2 });
    expect((await post('/inference/v1/generate', json)).status).toBe(200);
    expect((await renderChat({ messages: USER })).json.token_ids).toEqual(json.token_ids);
  });
});

describe('derender', () => {
  it('puts characters together over chunk borders', async () => {
    const { json } = await post<{ tokens: number[] }>('/tokenize', {
      prompt: '👪é',
      add_special_tokens: false,
    });
    let stream_state: unknown = null;
    let text = '';
    for (const [at, id] of json.tokens.entries()) {
      const finish_reason = at === json.tokens.length - 1 ? 'length' : null;
      const generate_chunk = { request_id: 'r', choices: [{ index: 0, token_ids: [id], finish_reason }] };
      const answer = await post<{
        chunk: { choices: Array<{ text: string }> };
        stream_state: unknown;
      }>('/v1/completions/derender', { stream: true, generate_chunk, stream_state });
      expect(answer.status).toBe(200);
      expect(answer.json.chunk.choices[0]!.text).not.toContain('\uFFFD');
      text += answer.json.chunk.choices[0]!.text;
      stream_state = answer.json.stream_state;
    }
    expect(text).toBe('👪é');
  });

  it('names what a streamed call lacks', async () => {
    for (const kind of ['chat/completions', 'completions']) {
      const { status, json } = await post<{ error: { param: string } }>(`/v1/${kind}/derender`, {
        stream: true,
      });
      expect([status, json.error.param]).toEqual([400, 'body.generate_chunk']);
    }
  });
});

describe('tokenizing', () => {
  it.each([
    ['letters', 'a'.repeat(200_000)],
    ['spaces', ' '.repeat(200_000)],
    ['base64', Buffer.alloc(150_000, 'tito tokens').toString('base64')],
  ])('of 200 kB of %s holds up neither health nor a stream', async (_, prompt) => {
    const request = { token_ids: [40, 41], sampling_params: { max_tokens: 60, ignore_eos: true } };
    const stream = framesOf(tiny.caller.stream(request));
    let isDone = false;
    const long = post<{ count: number }>('/tokenize', { prompt }).finally(() => {
      isDone = true;
    });
    let slowest = 0;
    do {
      const start = performance.now();
      expect((await fetch(`${tiny.server.url}/health`)).status).toBe(200);
      slowest = Math.max(slowest, performance.now() - start);
    } while (!isDone);
    expect((await long).json.count).toBeGreaterThan(0);
    expect(slowest).toBeLessThan(200);
    expect((await stream).at(-1)).toEqual({ done: true });
  });
});
