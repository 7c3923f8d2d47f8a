import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isRepeating } from './repetition.js';

/** The plain statement: for some allowed size, the last `minCount` blocks of that size are equal. */
function repeats(output: number[], from: number, to: number, count: number): boolean {
  for (let size = Math.max(from, 1); size <= to; size++) {
    const tail = output.slice(-size * count);
    const blocks = Array.from({ length: count }, (_, i) => tail.slice(i * size, (i + 1) * size).join());
    if (tail.length === size * count && new Set(blocks).size === 1) return true;
  }
  return false;
}

describe('isRepeating', () => {
  it('is true when the tail is one pattern over and over', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(2), { maxLength: 24 }),
        fc.nat(4),
        fc.nat(6),
        fc.integer({ min: 2, max: 4 }),
        (output, minPatternSize, maxPatternSize, minCount) => {
          expect(isRepeating(output, { minPatternSize, maxPatternSize, minCount })).toBe(
            repeats(output, minPatternSize, maxPatternSize, minCount),
          );
        },
      ),
      { numRuns: 500 },
    );
  });

  it('is off at a pattern size of 0 or fewer than two repeats', () => {
    const output = [1, 1, 1, 1];
    expect(isRepeating(output, { minPatternSize: 0, maxPatternSize: 0, minCount: 2 })).toBe(false);
    expect(isRepeating(output, { minPatternSize: 1, maxPatternSize: 1, minCount: 1 })).toBe(false);
  });
});
