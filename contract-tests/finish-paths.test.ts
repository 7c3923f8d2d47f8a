/** Every way a sequence can end, streamed and whole, for one and for several sequences. */
import { describe, expect, it } from 'vitest';
import type { GenerateRequest } from '../generated/types.js';
import { type Frame, framesOf, idsOf } from './client.js';
import { tinyServer } from './tiny-server.js';

const PROMPT = [40, 41, 42, 43];
const EOS = 2;
const STOP = 'a';

type Sampling = GenerateRequest['sampling_params'];

/** The ways to end by themselves, each with its reasons. */
const WAYS: Array<[name: string, sampling: Sampling, finish: string, stop: string | number | null]> = [
  ['the primary EOS', { logit_bias: { [EOS]: 100 }, min_tokens: 3 }, 'stop', null],
  ['a stop id', { stop_token_ids: [50], logit_bias: { 50: 100 }, min_tokens: 3 }, 'stop', 50],
  [
    'a stop string',
    { stop: [STOP], logit_bias: { 100: 100 }, min_tokens: 3, ignore_eos: true },
    'stop',
    STOP,
  ],
  ['length', { max_tokens: 5, ignore_eos: true }, 'length', null],
];

const tiny = tinyServer(['--max-num-seqs', '4']);

interface Ending {
  index: number;
  finish: string;
  stop: unknown;
}

const chunksOf = (frames: readonly Frame[]) =>
  frames.flatMap((frame) => ('chunk' in frame ? [frame.chunk] : []));

function endings(frames: readonly Frame[]): Ending[] {
  return chunksOf(frames).flatMap(({ choices }) =>
    choices.flatMap(({ index, finish_reason, stop_reason }) =>
      finish_reason ? [{ index, finish: finish_reason, stop: stop_reason }] : [],
    ),
  );
}

/** Each sequence ends once, in its last chunk, and the stream once, in its last frame; ids and logprobs go together. */
function checkStream(frames: readonly Frame[], n: number): void {
  const chunks = chunksOf(frames);
  for (let index = 0; index < n; index++) {
    const own = chunks.flatMap(({ choices }) => choices.filter((choice) => choice.index === index));
    expect(own.map(({ finish_reason }) => finish_reason !== null).indexOf(true)).toBe(own.length - 1);
  }
  for (const { choices } of chunks) {
    for (const { token_ids, logprobs } of choices) {
      const content = (logprobs as { content: Array<{ token_id: number }> }).content;
      expect(content.map(({ token_id }) => token_id)).toEqual(token_ids);
    }
  }
  expect(frames.filter((frame) => 'done' in frame)).toHaveLength(1);
  expect(frames.at(-1)).toEqual({ done: true });
}

describe.each([1, 3])('with n %d', (n) => {
  const request = (sampling: Sampling): GenerateRequest => ({
    token_ids: PROMPT,
    sampling_params: { temperature: 1, seed: 7, n, max_tokens: 40, logprobs: 1, ...sampling },
  });

  it.each(WAYS)('ends by %s once for each sequence', async (_, sampling, finish, stop) => {
    const whole = await tiny.caller.generate(request(sampling));
    expect(whole.choices.map(({ finish_reason, stop_reason }) => [finish_reason, stop_reason])).toEqual(
      Array.from({ length: n }, () => [finish, stop]),
    );
    for (const { token_ids, logprobs } of whole.choices) {
      expect((logprobs as { content: unknown[] }).content).toHaveLength(token_ids!.length);
    }
    const frames = await framesOf(tiny.caller.stream(request(sampling)));
    checkStream(frames, n);
    expect(idsOf(frames)).toEqual(whole.choices.map(({ token_ids }) => token_ids));
    const ends = endings(frames).sort((a, b) => a.index - b.index);
    expect(ends).toEqual(Array.from({ length: n }, (_, index) => ({ index, finish, stop })));
  });

  it('ends by abort once for each sequence', async () => {
    const frames: Frame[] = [];
    const long = { ...request({ max_tokens: 2000, ignore_eos: true }), request_id: `cut-${n}` };
    for await (const frame of tiny.caller.stream(long)) {
      frames.push(frame);
      if (frames.length === 3 * n) await tiny.caller.abort(`generate-tokens-cut-${n}`);
    }
    checkStream(frames, n);
    expect(endings(frames).map(({ finish, stop }) => [finish, stop])).toEqual(
      Array.from({ length: n }, () => ['abort', null]),
    );
  });
});

describe('candidates in text mode', () => {
  it('are each spelled by themselves, however many are asked for', async () => {
    const ask = async (logprobs: number): Promise<Array<Map<number, unknown>>> => {
      const { choices } = await tiny.caller.generate({
        token_ids: PROMPT,
        sampling_params: { temperature: 1, seed: 3, max_tokens: 30, logprobs, ignore_eos: true },
        output_mode: 'text',
      });
      const { content } = choices[0]!.logprobs as {
        content: Array<{ top_logprobs: Array<{ token: string; bytes: number[]; logprob: number }> }>;
      };
      return content.map(
        ({ top_logprobs }) =>
          new Map(top_logprobs.map(({ token, bytes, logprob }) => [logprob, { token, bytes }])),
      );
    };
    const [few, many] = [await ask(2), await ask(10)];
    for (const [position, candidates] of few.entries()) {
      for (const [logprob, spelled] of candidates) expect(many[position]!.get(logprob)).toEqual(spelled);
    }
  });
});
