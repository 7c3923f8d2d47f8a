/** What a request gets does not depend on what else runs: in every precision, greedy and seeded, to the bit. */
import { describe, expect, it } from 'vitest';
import type { GenerateRequest } from '../generated/types.js';
import { tinyServer } from './tiny-server.js';

const WATCHED: GenerateRequest['sampling_params'][] = [
  { temperature: 0, max_tokens: 60, logprobs: 5, ignore_eos: true },
  { temperature: 0.8, top_p: 0.9, seed: 42, max_tokens: 60, logprobs: 5, ignore_eos: true },
];

/** Few positions a step cut prompts into chunks; many put several prompts into one batch. */
const SETTINGS = ['float32', 'int4', 'int8'].flatMap((dtype) => [
  { dtype, positions: 32 },
  { dtype, positions: 512 },
]);

describe.each(SETTINGS)('--dtype $dtype --max-num-batched-tokens $positions', ({ dtype, positions }) => {
  const limits = ['--max-num-seqs', '18', '--max-num-batched-tokens', String(positions)];
  const tiny = tinyServer(['--dtype', dtype, ...limits], {
    model: { format: dtype === 'float32' ? 'F32' : 'Q4_1' },
  });
  const prompt = (length: number, first: number): number[] =>
    Array.from({ length }, (_, i) => 10 + ((first + i * 37) % 300));
  const watch = async (): Promise<unknown[]> =>
    Promise.all(
      WATCHED.map(async (sampling_params) => {
        const request = { token_ids: prompt(45, 3), sampling_params };
        const [choice] = (await tiny.caller.generate(request)).choices;
        return [choice!.token_ids, choice!.logprobs];
      }),
    );

  it('gives the same bits with 0, 5 and 16 neighbours', async () => {
    const alone = await watch();
    for (const count of [5, 16]) {
      const neighbours = Array.from({ length: count }, (_, i) =>
        tiny.caller.generate({
          token_ids: prompt(5 + 20 * i, i * 11),
          sampling_params: { temperature: 1, seed: i, max_tokens: 30 + 5 * i, ignore_eos: true },
        }),
      );
      expect(await watch()).toEqual(alone);
      await Promise.all(neighbours);
    }
  });
});
