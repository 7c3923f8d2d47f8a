/** Guessed tokens change when tokens come, never which. */
import { describe, expect, it } from 'vitest';
import type { GenerateRequest } from '../generated/types.js';
import type { Caller } from './client.js';
import { tinyServer } from './tiny-server.js';

const repeating = (length: number): number[] => Array.from({ length }, (_, i) => 40 + (i % 6));
const PROMPT = repeating(48);
/** Output that goes on as the prompt does, whatever the model thinks. */
const AS_GUESSED = { temperature: 0, max_tokens: 60, trace_decode_token_ids: repeating(60) };

const ASKS: Record<string, GenerateRequest['sampling_params']> = {
  greedy: { temperature: 0, max_tokens: 60 },
  seeded: { temperature: 1, seed: 7, max_tokens: 60 },
  'seeded and narrow': { temperature: 0.3, top_p: 0.6, seed: 3, max_tokens: 60 },
  penalized: { temperature: 0, repetition_penalty: 1.2, presence_penalty: 0.4, max_tokens: 60 },
  'of a length that cuts guesses off': { temperature: 0, max_tokens: 7 },
  'of the whole context': { temperature: 0, max_tokens: 100_000 },
  'as guessed': AS_GUESSED,
  'with prompt scores': { temperature: 0, prompt_logprobs: 1, max_tokens: 20 },
};

async function answerOf(caller: Caller, sampling: GenerateRequest['sampling_params'], n = 1) {
  const request = { token_ids: PROMPT, sampling_params: { ignore_eos: true, logprobs: 1, n, ...sampling } };
  const { choices } = await caller.generate(request);
  return choices;
}

describe('--prompt-lookup', () => {
  const options = ['--max-model-len', '256', '--enable-trace-replay'];
  const plain = tinyServer(options);
  const guessing = tinyServer([...options, '--prompt-lookup', '5']);

  const accepted = (): Promise<number> =>
    guessing.caller.metric('vllm:spec_decode_num_accepted_tokens_total');

  it.each(Object.keys(ASKS))('gives the same tokens: %s', async (name) => {
    const [[expected], [got]] = await Promise.all([
      answerOf(plain.caller, ASKS[name]!),
      answerOf(guessing.caller, ASKS[name]!),
    ]);
    expect(got!.token_ids).toEqual(expected!.token_ids);
    expect(got!.finish_reason).toBe(expected!.finish_reason);
    const scores = (choice: typeof got): number[] =>
      (choice!.logprobs as { content: Array<{ logprob: number }> }).content.map(({ logprob }) => logprob);
    scores(got).forEach((score, i) => {
      expect(score).toBeCloseTo(scores(expected)[i]!, 4);
    });
  });

  it('gives several tokens a step, and says how many', async () => {
    const before = await accepted();
    const chunks: number[] = [];
    const request = { token_ids: PROMPT, sampling_params: { ignore_eos: true, ...AS_GUESSED } };
    for await (const frame of guessing.caller.stream(request)) {
      if ('chunk' in frame) chunks.push(frame.chunk.choices[0]?.token_ids?.length ?? 0);
    }
    expect(chunks.reduce((sum, count) => sum + count, 0)).toBe(60);
    expect(await accepted()).toBeGreaterThan(before + 40);
    const [drafts, tokens] = await Promise.all(
      ['drafts', 'draft_tokens'].map((name) => guessing.caller.metric(`vllm:spec_decode_num_${name}_total`)),
    );
    expect(drafts).toBeGreaterThan(0);
    expect(tokens).toBeGreaterThan(drafts!);
  });

  it('stops where it must, though more was guessed', async () => {
    const repetition_detection = { max_pattern_size: 1, min_pattern_size: 1, min_count: 9 };
    const ask = { ...ASKS.greedy, logit_bias: { 42: 100 }, repetition_detection };
    const before = await accepted();
    const [[expected], [got]] = await Promise.all([
      answerOf(plain.caller, ask),
      answerOf(guessing.caller, ask),
    ]);
    expect(expected!.finish_reason).toBe('repetition');
    expect(got!.finish_reason).toBe('repetition');
    expect(got!.token_ids).toEqual(Array(9).fill(42));
    expect(await accepted()).toBeGreaterThan(before);
  });

  it('guesses for a sequence alone only, and goes on when others end', async () => {
    const [expected, got] = await Promise.all([
      answerOf(plain.caller, ASKS.seeded!, 3),
      answerOf(guessing.caller, ASKS.seeded!, 3),
    ]);
    expect(got.map(({ token_ids }) => token_ids)).toEqual(expected.map(({ token_ids }) => token_ids));
  });

  it('keeps a prefix that later requests reuse', async () => {
    const [first] = await answerOf(guessing.caller, AS_GUESSED);
    const turn = [...PROMPT, ...first!.token_ids!, 90, 91];
    const ask = { token_ids: turn, sampling_params: { temperature: 0, max_tokens: 12, ignore_eos: true } };
    const [got, expected] = await Promise.all([guessing.caller.generate(ask), plain.caller.generate(ask)]);
    expect(got.choices[0]!.token_ids).toEqual(expected.choices[0]!.token_ids);
  });
});
