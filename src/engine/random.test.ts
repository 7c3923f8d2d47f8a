import { describe, expect, it } from 'vitest';
import { randomSeed, streamKey, uniform } from './random.js';

const COUNT = 40_000;

function expectUniform(numbers: readonly number[]): void {
  const cells = new Array<number>(100).fill(0);
  for (const number of numbers) {
    expect(number).toBeGreaterThan(0);
    expect(number).toBeLessThanOrEqual(1);
    cells[Math.ceil(number * 100) - 1]!++;
  }
  const expected = numbers.length / 100;
  const statistic = cells.reduce((sum, seen) => sum + (seen - expected) ** 2 / expected, 0);
  expect(statistic).toBeLessThan(99 + 4 * Math.sqrt(2 * 99));
}

describe('uniform', () => {
  it('is even over positions, over streams and over seeds', () => {
    const key = streamKey(1n, 0);
    expectUniform(Array.from({ length: COUNT }, (_, position) => uniform(key, position)));
    expectUniform(Array.from({ length: COUNT }, (_, stream) => uniform(streamKey(1n, stream), 0)));
    expectUniform(Array.from({ length: COUNT }, (_, seed) => uniform(streamKey(BigInt(seed), 0), 0)));
  });

  it('does not follow from the number before', () => {
    const key = streamKey(9n, 0);
    const numbers = Array.from({ length: COUNT + 1 }, (_, position) => uniform(key, position) - 0.5);
    const products = numbers.slice(1).map((number, i) => number * numbers[i]! * 12);
    const mean = products.reduce((a, b) => a + b, 0) / COUNT;
    expect(Math.abs(mean)).toBeLessThan(4 / Math.sqrt(COUNT));
  });

  it('is a function of seed, stream and position alone', () => {
    expect(uniform(streamKey(42n, 3), 17)).toBe(uniform(streamKey(42n, 3), 17));
  });
});

describe('streamKey', () => {
  it('tells every seed of 64 bits apart, signed or not', () => {
    const seeds = [
      -(2n ** 63n),
      -2n,
      -1n,
      0n,
      1n,
      2n ** 53n,
      2n ** 53n + 1n,
      2n ** 63n,
      2n ** 64n - 2n,
      2n ** 64n - 1n,
    ];
    expect(new Set(seeds.map((seed) => streamKey(seed, 0))).size).toBe(seeds.length);
  });
});

it('makes up another seed each time', () => {
  expect(new Set(Array.from({ length: 100 }, randomSeed)).size).toBe(100);
});
