import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { describeListed, describeTop, rankOf } from './logprobs.js';

const score = fc.oneof(
  fc.integer({ min: -4, max: 0 }),
  fc.float({ min: -30, max: 0, noNaN: true }),
  fc.constant(Number.NEGATIVE_INFINITY),
);
const scored = fc
  .array(score, { minLength: 1, maxLength: 60 })
  .chain((values) =>
    fc.tuple(
      fc.constant(Float32Array.from(values)),
      fc.nat(values.length - 1),
      fc.nat(values.length + 2),
      fc.boolean(),
    ),
  );

describe('describeTop', () => {
  it('puts the token first, then the others by rank: k entries if it is among the best, else k + 1', () => {
    fc.assert(
      fc.property(scored, ([scores, token, count, isRanked]) => {
        const ranking = Int32Array.from(scores.keys()).sort((a, b) => scores[b]! - scores[a]! || a - b);
        const { ids, values, ranks } = describeTop({ scores, head: isRanked ? ranking : null }, token, count);
        const best = [...ranking.subarray(0, count)];
        expect([...ids]).toEqual([token, ...best.filter((id) => id !== token)]);
        expect([...values]).toEqual([...ids].map((id) => scores[id]));
        expect([...ranks]).toEqual(
          [...ids].map((id) => 1 + scores.filter((other) => other > scores[id]!).length),
        );
      }),
    );
  });

  it('ranks what it can beside NaN', () => {
    const scores = Float32Array.of(-1, Number.NaN, -3);
    const { ids, ranks } = describeTop({ scores, head: null }, 1, 2);
    expect([...ids]).toEqual([1, 0, 2]);
    expect([...ranks]).toEqual([0, 1, 2]);
  });
});

describe('describeListed', () => {
  const scores = Float32Array.of(-1, -2, -3, -4);

  it('ranks listed ids by their place in the list, the token by its score', () => {
    const { ids, values, ranks } = describeListed(scores, 1, [3, 0]);
    expect([...ids]).toEqual([1, 3, 0]);
    expect([...values]).toEqual([-2, -4, -1]);
    expect([...ranks]).toEqual([2, 1, 2]);
  });

  it('lists a token once, ranked by its place when it is in the list', () => {
    const { ids, ranks } = describeListed(scores, 0, [3, 0]);
    expect([...ids]).toEqual([0, 3]);
    expect([...ranks]).toEqual([2, 1]);
  });
});

it('ranks by how many score higher', () => {
  const scores = Float32Array.of(-1, -2, -2, Number.NaN, -3, Number.NEGATIVE_INFINITY);
  expect([...scores.keys()].map((id) => rankOf(scores, id))).toEqual([1, 2, 2, 0, 4, 5]);
});
