import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { exponentials } from './exponentials.js';

const finite = fc.float({ min: -80, max: 0, noNaN: true });

describe('exponentials', () => {
  it('agrees with Math.exp to seven digits', () => {
    fc.assert(
      fc.property(fc.array(finite, { minLength: 1 }), fc.constantFrom(1, 0.5, 2), (drawn, inverse) => {
        const values = [0, ...drawn];
        const weights = new Float32Array(values.length);
        const sum = exponentials(Float32Array.from(values), 0, inverse, weights);
        let expected = 0;
        values.forEach((value, i) => {
          const exact = Math.exp(Math.fround(value) * inverse);
          expected += exact;
          if (exact > 1e-37) expect(Math.abs(weights[i]! / exact - 1)).toBeLessThan(1.2e-7);
          else expect(weights[i]).toBeLessThanOrEqual(2e-37);
        });
        expect(Math.abs(sum / expected - 1)).toBeLessThan(1e-8);
      }),
    );
  });

  it('weighs the largest logit 1, and ruled out, far and NaN logits 0', () => {
    const weights = new Float32Array(4);
    const logits = Float32Array.of(5, Number.NEGATIVE_INFINITY, -200, Number.NaN);
    expect(exponentials(logits, 5, 1, weights)).toBe(1);
    expect([...weights]).toEqual([1, 0, 0, 0]);
  });

  it('weighs nothing when nothing is left', () => {
    const logits = Float32Array.of(Number.NEGATIVE_INFINITY, Number.NaN);
    expect(exponentials(logits, Number.NEGATIVE_INFINITY, 1, new Float32Array(2))).toBe(0);
  });
});
