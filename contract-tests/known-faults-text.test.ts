/** Faults that similar servers had in render, derender and tokenizing, each as a test from outside, on the tiny model. */
import { describe, expect, it } from 'vitest';
import type { GenerateRequest } from '../generated/types.js';
import { besideHealth } from './beside-health.js';
import { framesOf } from './client.js';
import { tinyServer } from './tiny-server.js';

const tiny = tinyServer(['--trust-request-chat-template'], { model: { addBos: true } });
const BOS = 1;
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
  it('KF-22 writes JSON in templates as Python does', async () => {
    const chat_template = '{{ messages[0].tool_calls[0].function.arguments | tojson }}';
    const sent = '{"b":1,"a":"é/<&\'","c":1.0,"d":{}}';
    const call = { id: 'c', type: 'function', function: { name: 'f', arguments: sent } };
    const { json } = await renderChat({
      messages: [{ role: 'assistant', tool_calls: [call] }],
      chat_template,
    });
    expect(await textOf(json.token_ids)).toBe('{"b": 1, "a": "é/<&\'", "c": 1.0, "d": {}}');
  });

  it('KF-23 takes arguments of earlier calls as JSON or as an object, and refuses what is neither', async () => {
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

  it("KF-24 answers a template's failure with its message and line, and goes on", async () => {
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

  it('KF-25 gives what generate takes as it is', async () => {
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

describe('special tokens', () => {
  const idsOf = async (request: object): Promise<number[]> => (await renderChat(request)).json.token_ids;

  it('KF-21 are in a chat as often as its template prints them', async () => {
    const messages = USER;
    const plain = await idsOf({ messages, chat_template: '{{ messages[0].content }}' });
    expect(plain).not.toContain(BOS);
    const chat_template = '{{ bos_token }}{{ messages[0].content }}';
    expect(await idsOf({ messages, chat_template })).toEqual([BOS, ...plain]);
    expect(await idsOf({ messages, chat_template, add_special_tokens: true })).toEqual([BOS, BOS, ...plain]);
  });

  it('KF-21 are one id each, as markers of the template', async () => {
    const ids = await idsOf({ messages: [...USER, ...USER], add_generation_prompt: true });
    expect(ids.filter((id) => id === 1)).toHaveLength(3);
    expect(ids.filter((id) => id === 2)).toHaveLength(2);
    expect(await textOf(ids)).toBe(
      `${'<|im_start|>user\nhello<|im_end|>\n'.repeat(2)}<|im_start|>assistant\n`,
    );
  });

  it('KF-21 come before a prompt unless add_special_tokens is false', async () => {
    const render = async (more: object): Promise<number[]> => {
      const body = { prompt: 'hello', max_tokens: 1, ...more };
      return (await post<GenerateRequest[]>('/v1/completions/render', body)).json[0]!.token_ids;
    };
    const bare = await render({ add_special_tokens: false });
    expect(bare).not.toContain(BOS);
    expect(await render({})).toEqual([BOS, ...bare]);
  });
});

describe('derender', () => {
  it('KF-11 puts characters together over chunk borders', async () => {
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

  it('KF-09 cuts the text where generate does, and keeps all ids', async () => {
    const sampling = { temperature: 0, max_tokens: 40, ignore_eos: true };
    const generate = async (sampling_params: object, output_mode: 'tokens' | 'text') =>
      (await tiny.caller.generate({ token_ids: [40, 41], sampling_params, output_mode })).choices[0]!;
    const full = (await generate(sampling, 'text')).text!;
    const printable = [...full].map((character) => character !== '\uFFFD');
    const from = printable.findIndex((is, at) => at >= 4 && is && printable[at + 1]);
    const stop = [[...full].slice(from, from + 2).join('')];
    for (const include_stop_str_in_output of [false, true]) {
      const fields = { stop, include_stop_str_in_output, ignore_eos: true };
      const choice = await generate({ ...sampling, ...fields }, 'tokens');
      const { text } = await generate({ ...sampling, ...fields }, 'text');
      expect([choice.finish_reason, choice.stop_reason]).toEqual(['stop', stop[0]]);
      const answer = await post<{ choices: Array<{ message: { content: string }; token_ids: number[] }> }>(
        '/v1/chat/completions/derender',
        {
          generate_response: { request_id: 'r', choices: [choice] },
          prompt_token_ids: [40, 41],
          chat_request: { messages: USER, return_token_ids: true, ...fields },
        },
      );
      const [derendered] = answer.json.choices;
      expect(derendered!.message.content).toBe(text);
      expect(text!.endsWith(stop[0]!)).toBe(include_stop_str_in_output);
      expect(derendered!.token_ids).toEqual(choice.token_ids);
    }
  });

  it('KF-32 takes a chunk that repeats a long prompt, and refuses a body over the limit', async () => {
    const chunk = (prompt: number) => ({
      stream: true,
      prompt_token_ids: new Array(prompt).fill(40),
      generate_chunk: { request_id: 'r', choices: [{ index: 0, token_ids: [100], finish_reason: null }] },
    });
    expect((await post('/v1/chat/completions/derender', chunk(2000))).status).toBe(200);
    for (const [prompt, status] of [
      [150_000, 400],
      [25_000_000, 413],
    ] as const) {
      const { status: answered, json } = await post<{ error: { message: string } }>(
        '/v1/chat/completions/derender',
        chunk(prompt),
      );
      expect([answered, json.error.message.length > 0]).toEqual([status, true]);
    }
  });

  it('KF-31 names what a streamed call lacks', async () => {
    for (const kind of ['chat/completions', 'completions']) {
      const { status, json } = await post<{ error: { param: string } }>(`/v1/${kind}/derender`, {
        stream: true,
      });
      expect([status, json.error.param]).toEqual([400, 'body.generate_chunk']);
    }
  });
});

const LONG: Array<[string, string]> = [
  ['letters', 'a'.repeat(200_000)],
  ['spaces', ' '.repeat(200_000)],
  ['base64', Buffer.alloc(150_000, 'tito tokens').toString('base64')],
];

/** Other test files run beside these: what holds up health does so in each try. */
const TRIES = { retry: 3 };

describe('tokenizing', () => {
  it.each(LONG)('KF-30 of 200 kB of %s holds up neither health nor a stream', TRIES, async (_, prompt) => {
    const request = { token_ids: [40, 41], sampling_params: { max_tokens: 60, ignore_eos: true } };
    const stream = framesOf(tiny.caller.stream(request));
    const { answer, slowest } = await besideHealth(
      tiny.server,
      post<{ count: number }>('/tokenize', { prompt }),
    );
    expect(answer.json.count).toBeGreaterThan(0);
    expect(slowest).toBeLessThan(200);
    expect((await stream).at(-1)).toEqual({ done: true });
  });
});

describe('rendering', () => {
  const render = tinyServer([], { model: { contextLength: 1_000_000 }, rendersOnly: true });

  it.each(LONG)('KF-30 a chat of 200 kB of %s does not hold up health', TRIES, async (_, content) => {
    const chat = { messages: [{ role: 'user', content }] };
    const request = render.caller.post('/v1/chat/completions/render', chat);
    const { answer, slowest } = await besideHealth(render.server, request);
    expect(((await answer.json()) as GenerateRequest).token_ids.length).toBeGreaterThan(50_000);
    expect(slowest).toBeLessThan(200);
  });
});

describe('a server of ids only', () => {
  const bare = tinyServer(['--tokens-only']);

  it('KF-09 refuses stop strings, which it can not find', async () => {
    const sampling_params = { stop: ['a'], max_tokens: 2 };
    const response = await bare.caller.post('/inference/v1/generate', { token_ids: [40], sampling_params });
    expect(response.status).toBe(400);
    expect(await response.text()).toContain('stop');
  });
});
