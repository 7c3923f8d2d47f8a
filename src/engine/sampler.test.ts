import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DEFAULT_SAMPLING_PARAMS, type SamplingParams } from './index.js';
import { filteredProbabilities } from './testing/filtered.js';
import { MASKED, PLAIN, start } from './testing/sampling.js';
import { scoreRow } from './testing/score-row.js';

/** Frequencies of `count` draws of one distribution. */
function draw(
  logits: ArrayLike<number>,
  given: Partial<SamplingParams>,
  count: number,
  options = PLAIN,
): number[] {
  const { sampler, state } = start(logits.length, given, options);
  const row = scoreRow(logits, state.temperature);
  const seen = new Array<number>(logits.length).fill(0);
  for (let i = 0; i < count; i++) {
    const { id } = sampler.sample(row, state);
    seen[id]!++;
    state.commit(id);
  }
  return seen;
}

/** Pearson's statistic, with rare outcomes pooled, in standard deviations above its mean. */
function excess(seen: readonly number[], probabilities: readonly number[]): number {
  const count = seen.reduce((a, b) => a + b, 0);
  let statistic = 0;
  let cells = 0;
  let [rareSeen, rareExpected] = [0, 0];
  const add = (observed: number, expected: number): void => {
    statistic += (observed - expected) ** 2 / expected;
    cells++;
  };
  probabilities.forEach((probability, id) => {
    const expected = probability * count;
    if (expected >= 5) {
      add(seen[id]!, expected);
    } else {
      rareSeen += seen[id]!;
      rareExpected += expected;
    }
  });
  if (rareExpected > 0) add(rareSeen, rareExpected);
  const freedom = Math.max(cells - 1, 1);
  return (statistic - freedom) / Math.sqrt(2 * freedom);
}

const LARGE = 49_152;
/** Falls off like a language model's: a few likely tokens and a long tail. */
const largeLogits = Float32Array.from({ length: LARGE }, (_, id) => {
  const place = ((id * 30_011) % LARGE) + 1;
  return 12 - 1.6 * Math.log(place);
});
const smallLogits = [1.5, -0.5, 0, 2, 1.5, -3, 0.25, 1];

describe('greedy', () => {
  it('takes the best, and the lowest id of equals', () => {
    for (const options of [PLAIN, MASKED]) {
      const { sampler, state } = start(4, { temperature: 0, topK: 2, topP: 0.1, minP: 0.9 }, options);
      expect(sampler.sample(scoreRow([0, 3, 3, 1]), state).id).toBe(1);
    }
  });

  it('is what a temperature below 0.00001 means', () => {
    expect(start(3, { temperature: 9.9e-6 }).state.greedy).toBe(true);
    expect(start(3, { temperature: 1e-5 }).state.greedy).toBe(false);
  });
});

describe('temperature', () => {
  it('is raised to 0.01', () => {
    expect(start(2, { temperature: 0.001 }).state.inverseTemperature).toBe(100);
    expect(start(2, { temperature: 0.5 }).state.inverseTemperature).toBe(2);
    expect(start(2, { temperature: 0 }).state.inverseTemperature).toBe(1);
  });
});

describe('draws follow the filtered distribution', () => {
  const cases: Array<Partial<SamplingParams>> = [
    {},
    { temperature: 0.5 },
    { temperature: 1.7 },
    { topK: 3 },
    { topK: 1 },
    { topK: 100 },
    { topP: 0.6 },
    { topP: 0.01 },
    { minP: 0.3 },
    { minP: 1 },
    { minP: 0.1, topK: 5, topP: 0.8, temperature: 1.3 },
  ];
  for (const given of cases) {
    const params = { ...DEFAULT_SAMPLING_PARAMS, ...given };
    it(`small vocabulary, ${JSON.stringify(given)}`, () => {
      const expected = filteredProbabilities(smallLogits, params.temperature, params);
      for (const options of [PLAIN, MASKED]) {
        const seen = draw(smallLogits, given, 20_000, options);
        for (const [id, count] of seen.entries()) if (expected[id] === 0) expect(count).toBe(0);
        expect(excess(seen, expected)).toBeLessThan(4);
      }
    });
  }
  for (const given of [
    {},
    { topP: 0.9 },
    { topK: 500 },
    { minP: 0.001 },
    { temperature: 1.5, topK: 900, topP: 0.95 },
  ]) {
    const params = { ...DEFAULT_SAMPLING_PARAMS, ...given };
    it(`large vocabulary, ${JSON.stringify(given)}`, () => {
      const expected = filteredProbabilities(largeLogits, params.temperature, params);
      const seen = draw(largeLogits, given, 6_000);
      for (const [id, count] of seen.entries()) if (count > 0) expect(expected[id]).toBeGreaterThan(0);
      expect(excess(seen, expected)).toBeLessThan(4);
    });
  }
});

describe('sampling mask', () => {
  const logit = fc.integer({ min: -40, max: 40 }).map((value) => value / 8);

  it('lists by id what the filters leave', () => {
    fc.assert(
      fc.property(
        fc.array(logit, { minLength: 1, maxLength: 100 }),
        fc.constantFrom(0.3, 1, 2),
        fc.constantFrom(0, 0.0503, 0.513, 1),
        fc.constantFrom(0, 1, 4, 70, 1000),
        fc.constantFrom(1, 0.973, 0.517, 0.0013),
        (logits, temperature, minP, topK, topP) => {
          const filters = { minP, topK, topP };
          const { sampler, state } = start(logits.length, { temperature, ...filters }, MASKED);
          const { id, mask } = sampler.sample(scoreRow(logits, temperature), state);
          const left = filteredProbabilities(logits, temperature, filters);
          expect([...mask!]).toEqual([...left.keys()].filter((other) => left[other]! > 0));
          expect(mask).toContain(id);
        },
      ),
      { seed: 4, numRuns: 400 },
    );
  });

  it('is empty of what processors rule out, and the best alone when greedy', () => {
    const given = { allowedTokenIds: [0, 2, 3], badWords: [[3]] };
    const random = start(5, given, MASKED);
    expect([...random.sampler.sample(scoreRow([1, 9, 1, 9, 9]), random.state).mask!]).toEqual([0, 2]);
    const greedy = start(5, { ...given, temperature: 0 }, MASKED);
    expect([...greedy.sampler.sample(scoreRow([1, 9, 2, 9, 9]), greedy.state).mask!]).toEqual([2]);
  });
});

it('samples the same from the head of the ranking as from the whole vocabulary', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: -60, max: 60 }), { minLength: 70, maxLength: 120 }),
      fc.constantFrom({}, { topK: 9 }, { topP: 0.77 }, { minP: 0.033 }, { minP: 0.01, topK: 20, topP: 0.9 }),
      fc.bigInt({ min: 0n, max: 1n << 63n }),
      (tenths, filters, seed) => {
        const row = scoreRow(tenths.map((value) => value / 10));
        const [plain, masked] = [PLAIN, MASKED].map((options) => {
          const { sampler, state } = start(tenths.length, { ...filters, seed }, options);
          return sampler.sample(row, state).id;
        });
        expect(plain).toBe(masked);
      },
    ),
    { seed: 11, numRuns: 500 },
  );
});
