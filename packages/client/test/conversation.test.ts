import { describe, expect, it } from 'vitest';
import { tinyServer } from '../../../contract-tests/tiny-server.js';
import { Conversation, type GenerateRequest, type GenerateResponse, Tito, UsageError } from '../src/index.js';

const TEMPLATE =
  "{%- if tools %}{{ '<|im_start|>system\n' }}{%- for tool in tools %}{{ tool | tojson }}{%- endfor %}{{ '<|im_end|>\n' }}{%- endif %}" +
  "{%- for message in messages %}{%- if message['role'] == 'tool' %}{{ '<|im_start|>user\n<tool_response>' + message['content'] + '</tool_response><|im_end|>\n' }}" +
  "{%- else %}{{ '<|im_start|>' + message['role'] + '\n' + (message['content'] or '') }}" +
  "{%- for call in message['tool_calls'] or [] %}{{ '<tool_call>\n{\"name\": \"' + call['function']['name'] + '\", \"arguments\": ' + (call['function']['arguments'] | tojson) + '}\n</tool_call>' }}{%- endfor %}" +
  "{{ '<|im_end|>\n' }}{%- endif %}{%- endfor %}{%- if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{%- endif %}";

const END = 2;
const FIRST_BYTE = 3;
const tools = [
  { type: 'function' as const, function: { name: 'add', parameters: { type: 'object', properties: {} } } },
];
const callText = (turn: number): string =>
  `<tool_call>\n{"name": "add", "arguments": {"a": ${turn}}}\n</tool_call>`;

const tiny = tinyServer([
  '--chat-template',
  TEMPLATE,
  '--enable-auto-tool-choice',
  '--tool-call-parser',
  'hermes',
  '--enable-trace-replay',
  '--enable-rl-control',
]);
const client = (): Tito => new Tito({ baseUrl: tiny.server.url });

/** The ids that the tokenizer gives a text, and the end of the turn. */
async function idsOf(text: string): Promise<number[]> {
  const { data } = await client().http.POST('/tokenize', {
    body: { prompt: text, add_special_tokens: false },
  });
  return [...data!.tokens, END];
}

/** The same text, byte by byte: ids that no tokenizer would choose, as models sample them now and then. */
const bytesOf = (text: string): number[] =>
  [...Buffer.from(text)].map((byte) => FIRST_BYTE + byte).concat(END);

interface Watched {
  conversation: Conversation;
  exchanges: { request: GenerateRequest; answer: GenerateResponse }[];
}

/** A conversation, and what its generate calls sent and got. */
function watched(contextLength = 2048): Watched {
  const exchanges: Watched['exchanges'] = [];
  const real = client();
  const generate: Tito['generate'] = async (request, options) => {
    const answer = await real.generate(request, options);
    const [choice] = answer.choices;
    // A forced output ends by its length, even where the model would have ended it.
    if (choice!.token_ids!.at(-1) === END) choice!.finish_reason = 'stop';
    exchanges.push({ request, answer });
    return answer;
  };
  const servers = { render: real, generate: { generate, stream: real.stream.bind(real) } };
  const messages = [{ role: 'user', content: 'add the numbers' }];
  return { conversation: new Conversation(servers, { messages, tools, contextLength }), exchanges };
}

const forced = (trace_decode_token_ids: number[]): { sampling: object } => ({
  sampling: { trace_decode_token_ids, max_tokens: trace_decode_token_ids.length, temperature: 1 },
});

/** Ten turns: calls of a tool and their results, with words of the user between. */
async function tenTurns(
  { conversation }: Watched,
  encode: (text: string) => number[] | Promise<number[]>,
): Promise<number[][]> {
  const snapshots: number[][] = [];
  for (let turn = 0; turn < 10; turn++) {
    const text = turn % 2 === 0 ? callText(turn) : 'the answer is in';
    const { message } = (await conversation.reply(forced(await encode(text))))!;
    snapshots.push([...conversation.tokenIds]);
    const call = message.tool_calls?.[0];
    expect(call?.function?.name).toBe(turn % 2 === 0 ? 'add' : undefined);
    if (call) conversation.add({ role: 'tool', content: `${turn}`, tool_call_id: call.id! });
    else conversation.add({ role: 'user', content: 'and then' });
  }
  return snapshots;
}

describe('a conversation of ten turns with tools', () => {
  it('extends its ids; the server saw the very same', async () => {
    const one = watched();
    const snapshots = await tenTurns(one, bytesOf);
    for (const [turn, ids] of snapshots.entries()) {
      const { request, answer } = one.exchanges[turn]!;
      const earlier = snapshots[turn - 1] ?? [];
      expect(ids.slice(0, earlier.length)).toEqual(earlier);
      expect(answer.prompt_token_ids).toEqual(request.token_ids);
      expect(ids).toEqual([...request.token_ids, ...answer.choices[0]!.token_ids!]);
    }
  });

  it('is what rendering the whole chat gives where the model wrote as the tokenizer does', async () => {
    const one = watched();
    const snapshots = await tenTurns(one, idsOf);
    const { messages } = one.conversation.toRecord();
    const whole = await client().renderChat({ messages, tools, max_tokens: 1, add_generation_prompt: false });
    const ids = snapshots.at(-1)!;
    expect(whole.token_ids.slice(0, ids.length)).toEqual(ids);
    expect(await one.conversation.divergence()).toBeNull();
  });

  it('reports where turning the text into ids again would have differed', async () => {
    const one = watched();
    await one.conversation.reply(forced(await idsOf('he')));
    one.conversation.add({ role: 'user', content: 'go on' });
    expect(await one.conversation.divergence()).toBeNull();
    const start = one.exchanges[0]!.request.token_ids.length;
    await one.conversation.reply(forced(bytesOf('he')));
    const divergence = (await one.conversation.divergence())!;
    const prompt = one.exchanges[1]!.request.token_ids.length;
    expect(prompt).toBeGreaterThan(start);
    expect(divergence).toMatchObject({ at: prompt, inAnswer: true, turn: 1, kept: bytesOf('he') });
    expect(divergence.retokenized.slice(0, 2)).toEqual(await idsOf('he'));
  });

  it('exports what a trainer needs, a token an entry', async () => {
    const one = watched();
    await tenTurns(one, bytesOf);
    const line = one.conversation.toJsonLine({ reward: 0.5 });
    expect(line.indexOf('\n')).toBe(line.length - 1);
    const record = JSON.parse(line) as ReturnType<Conversation['toRecord']>;
    const sampled = one.exchanges.flatMap(({ answer }) => answer.choices[0]!.token_ids!);
    expect(record.token_ids).toEqual(one.conversation.tokenIds);
    expect(record.loss_mask.length).toBe(record.token_ids.length);
    expect(record.token_ids.filter((_, at) => record.loss_mask[at] === 1)).toEqual(sampled);
    expect(record.logprobs.map((logprob) => (logprob === null ? 0 : 1))).toEqual(record.loss_mask);
    const told = one.exchanges.flatMap(({ answer }) =>
      answer.choices[0]!.logprobs!.content!.map(({ logprob }) => logprob),
    );
    expect(record.logprobs.filter((logprob) => logprob !== null)).toEqual(told);
    expect(record.reward).toBe(0.5);
    expect(record.messages.length).toBe(20);
    expect(record.finish_reasons.length).toBe(10);
  });
});

describe('a conversation', () => {
  it('closes a turn that was cut by its length', async () => {
    const { conversation, exchanges } = watched();
    await conversation.reply(forced((await idsOf('the')).slice(0, -1)));
    conversation.add({ role: 'user', content: 'go on' });
    await conversation.reply(forced(await idsOf('of')));
    expect(exchanges[0]!.answer.choices[0]!.finish_reason).toBe('length');
    expect(await conversation.divergence()).toBeNull();
  });

  it('tells which weights sampled each token', async () => {
    const { conversation } = watched();
    const label = (new_version: string): Promise<unknown> =>
      client().http.POST('/update_weight_version', { body: { new_version } });
    await label('v1');
    await conversation.reply(forced(await idsOf('the')));
    await label('v2');
    conversation.add({ role: 'user', content: 'go on' });
    await conversation.reply(forced(await idsOf('of the')));
    const { weight_versions, loss_mask } = conversation.toRecord();
    expect(weight_versions.map(({ version }) => version)).toEqual(['v1', 'v2']);
    const covered = loss_mask.map((_, at) =>
      weight_versions.some(({ start, end }) => at >= start && at < end) ? 1 : 0,
    );
    expect(covered).toEqual(loss_mask);
  });

  it('is truncated where its context ends', async () => {
    const { conversation, exchanges } = watched(250);
    const sampling = { ignore_eos: true, max_tokens: 1000 };
    const turn = await conversation.reply({ sampling });
    expect(turn!.choice.finish_reason).toBe('length');
    expect(conversation.tokenIds.length).toBe(250);
    expect(conversation.truncated).toBe(true);
    conversation.add({ role: 'user', content: 'go on' });
    expect(await conversation.reply({ sampling })).toBeNull();
    expect(exchanges.length).toBe(1);
    expect(conversation.toRecord()).toMatchObject({
      truncated: true,
      messages: [{ role: 'user' }, { role: 'assistant' }],
    });
  });

  it('has one answer at a time, and something to answer', async () => {
    const { conversation } = watched();
    const first = conversation.reply(forced(await idsOf('the')));
    await expect(conversation.reply()).rejects.toThrow(UsageError);
    await first;
    await expect(conversation.reply()).rejects.toThrow('Nothing to answer');
  });
});
