import { describe, expect, it } from 'vitest';
import { silentProgress } from '../model/progress.js';
import { measureFidelity } from './fidelity.js';

describe('the default model', () => {
  it('loses little in 4-bit blocks and in int8', async () => {
    const job = {
      model: undefined,
      dtypes: ['int4', 'int8'],
      tokens: 2048,
      progress: silentProgress,
    } as const;
    const [int4, int8] = await measureFidelity(job);
    expect(int4).toMatchObject({ dtype: 'int4', positions: 2048 });
    expect(int4!.divergence).toBeLessThan(0.005);
    expect(int8!.divergence).toBeLessThan(0.01);
    for (const { perplexity, exactPerplexity, equalArgmax } of [int4!, int8!]) {
      expect(perplexity / exactPerplexity).toBeLessThan(1.015);
      expect(equalArgmax).toBeGreaterThan(0.93);
    }
  }, 300_000);
});
