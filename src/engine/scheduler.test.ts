import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { planStep } from './scheduler.js';
import type { Sequence } from './sequence.js';

const sequenceWith = (computed: number, pending: number): Sequence => ({ computed, pending }) as Sequence;

describe('planStep', () => {
  it('decodes every row that lacks one position and prefills in what is left of the budget', () => {
    const decoding = sequenceWith(10, 1);
    const long = sequenceWith(0, 100);
    const next = sequenceWith(0, 100);
    const plan = planStep([long, decoding, next], 65);
    expect(plan.decode).toEqual([decoding]);
    expect(plan.prefill).toEqual([{ sequence: long, count: 64 }]);
  });

  it('fills the rest of the budget from the next sequence', () => {
    const short = sequenceWith(0, 20);
    const next = sequenceWith(0, 100);
    expect(planStep([short, next], 64).prefill).toEqual([
      { sequence: short, count: 20 },
      { sequence: next, count: 44 },
    ]);
  });

  it('never leaves one position to be computed alone', () => {
    expect(planStep([sequenceWith(0, 65)], 64).prefill[0]?.count).toBe(63);
  });

  it('keeps prefilling when decode rows use the whole budget', () => {
    const rows = Array.from({ length: 64 }, () => sequenceWith(5, 1));
    expect(planStep([...rows, sequenceWith(0, 500)], 32).prefill[0]?.count).toBe(16);
  });

  it('finishes every prompt in chunks of at least two positions, whatever the budgets', () => {
    const budgets = fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1 });
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 300 }), budgets, (prompt, steps) => {
        let computed = 0;
        for (let step = 0; prompt - computed > 1; step++) {
          const [chunk] = planStep(
            [sequenceWith(computed, prompt - computed)],
            steps[step % steps.length]!,
          ).prefill;
          expect(chunk!.count).toBeGreaterThanOrEqual(2);
          computed += chunk!.count;
        }
        expect(computed).toBe(prompt);
      }),
    );
  });
});
