import { describe, expect, it } from 'vitest';
import { Orthogonal } from './orthogonal.js';

const SIZES = [1, 2, 8, 9, 12, 64, 576];

const identity = (size: number): Float32Array =>
  Float32Array.from({ length: size * size }, (_, i) => (i % (size + 1) === 0 ? 1 : 0));

/** [size, size]: row i is the image of direction i. */
function matrixOf(size: number): Float32Array {
  const rows = identity(size);
  new Orthogonal(size).apply(rows, 1);
  return rows;
}

const dot = (a: Float32Array, b: Float32Array): number => a.reduce((sum, value, i) => sum + value * b[i]!, 0);

describe.each(SIZES)('of %d dimensions', (size) => {
  const matrix = matrixOf(size);
  const row = (i: number): Float32Array => matrix.subarray(i * size, (i + 1) * size);

  it('keeps lengths and angles', () => {
    for (const [i, j] of [
      [0, 0],
      [0, size - 1],
      [size >> 1, size >> 1],
      [size >> 1, size - 1],
    ] as const) {
      expect(dot(row(i), row(j))).toBeCloseTo(i === j ? 1 : 0, 5);
    }
  });

  it('leaves nothing of a direction in one place', () => {
    const largest = matrix.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
    expect(largest).toBeLessThanOrEqual(Math.SQRT2 / Math.sqrt(size) + 1e-6);
  });

  it('rotates vectors across rows as it does those in rows', () => {
    const across = identity(size);
    new Orthogonal(size).apply(across, size);
    for (let i = 0; i < size; i++) {
      for (const j of [0, size - 1]) expect(across[j * size + i]).toBeCloseTo(matrix[i * size + j]!, 5);
    }
  });
});
