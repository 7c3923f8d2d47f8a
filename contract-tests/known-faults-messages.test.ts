/** Faults that similar servers had with reasoning and tool calls, each as a test from outside, on the tiny model. */
import { describe, expect, it } from 'vitest';
import type {
  ChatCompletion,
  ChatCompletionChunk,
  ChatCompletionRequest,
  ToolCall,
} from '../generated/types.js';
import { tinyServer } from './tiny-server.js';

const tiny = tinyServer([
  ...['--enable-auto-tool-choice', '--tool-call-parser', 'hermes', '--reasoning-parser', 'qwen3'],
]);
const DERENDER = '/v1/chat/completions/derender';
const tools = ['f', 'g'].map((name) => ({ type: 'function' as const, function: { name } }));
const CLOSED = '<think>\n\n</think>\n\n';
const CALLS = [
  ['f', '{"int": 1, "bool": true, "none": null, "nested": {"list": [1.5, {"}": "{"}], "é": "</"}}'],
  ['g', '{}'],
] as const;
const OUTPUT = CALLS.map(
  ([name, sent]) => `<tool_call>\n{"name": "${name}", "arguments": ${sent}}\n</tool_call>`,
).join('\n');

type Asked = Partial<ChatCompletionRequest>;
type Finish = 'stop' | 'length';

interface Message {
  content: string;
  reasoning: string;
  calls: Array<{ id: string; name: string; arguments: string }>;
  finish: string | null;
}

async function json<T>(path: string, body: object): Promise<T> {
  const response = await tiny.caller.post(path, body);
  if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`);
  return (await response.json()) as T;
}

async function idsOf(prompt: string): Promise<number[]> {
  return (await json<{ tokens: number[] }>('/tokenize', { prompt, add_special_tokens: false })).tokens;
}

/** What goes with every output of a request. */
async function sent(asked: Asked, prompt: string) {
  const chat_request = { messages: [{ role: 'user', content: 'hello' }], ...asked };
  return { chat_request, prompt_token_ids: await idsOf(`<|im_start|>assistant\n${prompt}`) };
}

async function whole(output: string, asked: Asked, prompt = '', finish: Finish = 'stop'): Promise<Message> {
  const choice = { index: 0, token_ids: await idsOf(output), finish_reason: finish };
  const generate_response = { request_id: 'r', choices: [choice] };
  const { choices } = await json<ChatCompletion>(DERENDER, {
    ...(await sent(asked, prompt)),
    generate_response,
  });
  const { message, finish_reason } = choices[0]!;
  return {
    content: message.content ?? '',
    reasoning: message.reasoning ?? '',
    calls: (message.tool_calls ?? []).map(callOf),
    finish: finish_reason ?? null,
  };
}

/** The same, in chunks of so many ids. */
async function streamed(
  output: string,
  asked: Asked,
  { prompt = '', finish = 'stop' as Finish, size = 1 },
): Promise<Message> {
  const ids = await idsOf(output);
  const fields = await sent(asked, prompt);
  const message: Message = { content: '', reasoning: '', calls: [], finish: null };
  let stream_state: unknown = null;
  for (let at = 0; at < ids.length; at += size) {
    const finish_reason = at + size >= ids.length ? finish : null;
    const choices = [{ index: 0, token_ids: ids.slice(at, at + size), finish_reason }];
    const generate_chunk = { request_id: 'r', choices };
    const answer = await json<{ chunk: ChatCompletionChunk; stream_state: unknown }>(DERENDER, {
      ...fields,
      ...{ stream: true, generate_chunk, stream_state },
    });
    stream_state = answer.stream_state;
    for (const choice of answer.chunk.choices) add(message, choice);
  }
  return message;
}

function add(message: Message, { delta, finish_reason }: ChatCompletionChunk['choices'][number]): void {
  message.content += delta.content ?? '';
  message.reasoning += delta.reasoning ?? '';
  message.finish = finish_reason ?? message.finish;
  for (const call of delta.tool_calls ?? []) {
    const begun = message.calls[call.index!];
    if (begun) begun.arguments += String(call.function?.arguments ?? '');
    else message.calls[call.index!] = callOf(call);
  }
}

function callOf({ id, function: called }: ToolCall): Message['calls'][number] {
  return { id: id!, name: called!.name!, arguments: String(called!.arguments ?? '') };
}

describe('KF-26 calls', () => {
  it.each([1, 2, 5, 1000])('are the same whole and in chunks of %d', async (size) => {
    const expected = await whole(OUTPUT, { tools }, CLOSED);
    expect(expected.calls.map(({ name, arguments: given }) => [name, JSON.parse(given)])).toEqual(
      CALLS.map(([name, given]) => [name, JSON.parse(given)]),
    );
    expect(new Set(expected.calls.map(({ id }) => id)).size).toBe(CALLS.length);
    expect(await streamed(OUTPUT, { tools }, { prompt: CLOSED, size })).toEqual(expected);
  });
});

describe('KF-27 the finish reason', () => {
  const named = { type: 'function' as const, function: { name: 'f' } };
  const one = OUTPUT.slice(0, OUTPUT.indexOf('</tool_call>') + '</tool_call>'.length);

  it.each<[string, string, Asked, Finish, string]>([
    ['calls', one, { tools }, 'stop', 'tool_calls'],
    ['required calls', one, { tools, tool_choice: 'required' }, 'stop', 'tool_calls'],
    ['a call asked for by name', one, { tools, tool_choice: named }, 'stop', 'stop'],
    ['no call', 'hello', { tools }, 'stop', 'stop'],
    ['text that is cut', 'hello', { tools }, 'length', 'length'],
  ])('of %s is the same whole and streamed', async (_case, output, asked, finish, expected) => {
    expect((await whole(output, asked, CLOSED, finish)).finish).toBe(expected);
    expect((await streamed(output, asked, { prompt: CLOSED, finish })).finish).toBe(expected);
  });

  it('of a call that is cut is length whole, and streamed, where the call was sent, what the reference says', async () => {
    const cut = one.slice(0, 50);
    expect((await whole(cut, { tools }, CLOSED, 'length')).finish).toBe('length');
    expect((await streamed(cut, { tools }, { prompt: CLOSED, finish: 'length' })).finish).toBe('tool_calls');
  });
});

describe('KF-28 thinking', () => {
  it.each<[string, Asked]>([
    ['closed in the prompt', {}],
    ['closed and off', { chat_template_kwargs: { enable_thinking: false } }],
    ['closed and on', { chat_template_kwargs: { enable_thinking: true } }],
  ])('%s leaves the answer as content', async (_case, asked) => {
    const expected = { content: '391', reasoning: '', calls: [], finish: 'stop' };
    expect(await whole('391', asked, CLOSED)).toEqual(expected);
    expect(await streamed('391', asked, { prompt: CLOSED })).toEqual(expected);
  });

  it('open in the prompt is reasoning up to its end', async () => {
    const expected = { content: '391', reasoning: '17 * 23', calls: [], finish: 'stop' };
    expect(await whole('17 * 23</think>391', {}, '<think>')).toEqual(expected);
    expect(await streamed('17 * 23</think>391', {}, { prompt: '<think>' })).toEqual(expected);
  });
});
