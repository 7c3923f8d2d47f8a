import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { argmax, topIndices } from './select.js';

const value = fc.oneof(
  fc.integer({ min: -3, max: 3 }),
  fc.constantFrom(0, -0, Number.NaN, Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY),
  fc.float(),
);
const values = fc.array(value, { maxLength: 600 }).map((list) => Float32Array.from(list));

const sorted = (list: Float32Array): number[] =>
  [...list.keys()]
    .filter((i) => !Number.isNaN(list[i]))
    .sort((a, b) => (list[a] === list[b] ? a - b : list[b]! > list[a]! ? 1 : -1));

describe('topIndices', () => {
  it('orders by value, largest first, then by index, without NaN', () => {
    fc.assert(
      fc.property(values, fc.nat(700), (list, count) => {
        expect([...topIndices(list, count)]).toEqual(sorted(list).slice(0, count));
      }),
    );
  });

  it('does so on a part of a buffer', () => {
    const part = Float32Array.from({ length: 400 }, (_, i) => -(i % 7)).subarray(100, 399);
    expect([...topIndices(part, 299)]).toEqual(sorted(part));
  });
});

describe('argmax', () => {
  it('is the first of the order', () => {
    fc.assert(
      fc.property(
        values.filter((list) => list.some((entry) => entry > Number.NEGATIVE_INFINITY)),
        (list) => {
          expect(argmax(list)).toBe(sorted(list)[0]);
        },
      ),
    );
  });

  it('is 0 when there is nothing to choose', () => {
    expect(argmax(Float32Array.of(Number.NaN, Number.NEGATIVE_INFINITY))).toBe(0);
  });
});
