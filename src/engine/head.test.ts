import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { survivors } from './head.js';
import { filteredProbabilities } from './testing/filtered.js';
import { scoreRow } from './testing/score-row.js';

describe('survivors', () => {
  it('counts what the filters leave, or knows that it can not tell', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: -60, max: 60 }), { minLength: 1, maxLength: 150 }),
        fc.constantFrom(0, 0.0207, 0.513),
        fc.constantFrom(0, 1, 7, 63, 64, 65),
        fc.constantFrom(1, 0.973, 0.517),
        (tenths, minP, topK, topP) => {
          const logits = tenths.map((value) => value / 10);
          const { topIds, probabilities } = scoreRow(logits);
          const head = Float64Array.from(topIds, (id) => probabilities[id]!);
          const left = filteredProbabilities(logits, 1, { minP, topK, topP }).filter((p) => p > 0).length;
          const counted = survivors(head, logits.length, { minP, topK, topP });
          if (counted === null) expect(logits.length).toBeGreaterThan(head.length);
          else expect(counted).toBe(left);
        },
      ),
      { seed: 3, numRuns: 500 },
    );
  });

  it('can tell when the head settles it', () => {
    const head = Float64Array.of(0.5, 0.2, 0.2, 0.05);
    expect(survivors(head, 100, { minP: 0, topK: 0, topP: 0.6 })).toBe(2);
    expect(survivors(head, 100, { minP: 0.3, topK: 0, topP: 1 })).toBe(3);
    expect(survivors(head, 100, { minP: 0, topK: 2, topP: 1 })).toBe(3);
    expect(survivors(head, 100, { minP: 0, topK: 0, topP: 0.001 })).toBe(1);
  });

  it('can not tell when what it does not hold may survive', () => {
    const head = Float64Array.of(0.5, 0.2, 0.2, 0.05);
    expect(survivors(head, 100, { minP: 0, topK: 0, topP: 0.99 })).toBeNull();
    expect(survivors(head, 100, { minP: 0.01, topK: 0, topP: 1 })).toBeNull();
    expect(survivors(head, 100, { minP: 0, topK: 4, topP: 1 })).toBeNull();
    expect(survivors(head, 100, { minP: 0, topK: 9, topP: 0.5 })).toBeNull();
  });
});
