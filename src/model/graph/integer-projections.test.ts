import { describe, expect, it } from 'vitest';
import { F32 } from '../gguf/block-formats.js';
import { runAuthored } from '../testing/authored-graph.js';
import type { Matrix } from '../weights.js';
import { integerProjections } from './integer-projections.js';
import type { Activations } from './projections.js';

const COLUMNS = 192;
const ROWS = 40;

const noise = (seed: number): number => (Math.imul(seed + 1, 0x9e3779b1) >>> 0) / 2 ** 31 - 1;
const floats = (length: number, seed: number): Float32Array =>
  Float32Array.from({ length }, (_, i) => noise(i + 5000 * seed));

function matrixOf(values: Float32Array, name = 'w'): Matrix {
  const read = async (): Promise<Uint8Array> => new Uint8Array(values.slice().buffer);
  return { name, rows: values.length / COLUMNS, columns: COLUMNS, format: F32, read };
}

const weights = floats(ROWS * COLUMNS, 1);

const product = (x: Float32Array): number[] =>
  Array.from({ length: (x.length / COLUMNS) * ROWS }, (_, at) => {
    const [position, row] = [Math.floor(at / ROWS), at % ROWS];
    let sum = 0;
    for (let i = 0; i < COLUMNS; i++) sum += x[position * COLUMNS + i]! * weights[row * COLUMNS + i]!;
    return sum;
  });

async function project(
  x: Float32Array,
  activations: Activations,
  matrices: readonly Matrix[] = [matrixOf(weights)],
  bytes: 'int8' | 'uint8' = 'int8',
): Promise<Float32Array> {
  const dims = [x.length / COLUMNS, ROWS] as const;
  const { values } = await runAuthored({ x, columns: COLUMNS, dims }, (graph) =>
    integerProjections(bytes).project(graph, 'y', 'x', matrices, activations),
  );
  return values;
}

/** Root of the mean squared error as a share of the values' own. */
function relativeError(got: Float32Array, expected: readonly number[]): number {
  const squares = (list: readonly number[]): number => list.reduce((sum, value) => sum + value * value, 0);
  return Math.sqrt(squares(expected.map((value, i) => got[i]! - value)) / squares(expected));
}

const ALL: readonly Activations[] = ['normed', 'attended', 'products'];

describe('project', () => {
  it.each(ALL)('multiplies %s rows within what rounding to bytes costs', async (activations) => {
    const x = floats(3 * COLUMNS, 2);
    expect(relativeError(await project(x, activations), product(x))).toBeLessThan(0.02);
  });

  it('lays matrices side by side', async () => {
    const x = floats(2 * COLUMNS, 2);
    const parts = [weights.slice(0, 8 * COLUMNS), weights.slice(8 * COLUMNS)].map((part, i) =>
      matrixOf(part, `w${i}`),
    );
    expect(await project(x, 'normed', parts)).toEqual(await project(x, 'normed'));
  });

  it.each(ALL)('gives %s rows the same bits however the matrix is stored', async (activations) => {
    const x = floats(3 * COLUMNS, 2);
    const matrices = [matrixOf(weights)];
    expect(await project(x, activations, matrices, 'uint8')).toEqual(await project(x, activations, matrices));
  });

  it.each(ALL)('gives one of %s rows the same bits whatever the others hold', async (activations) => {
    const x = floats(4 * COLUMNS, 3);
    for (let i = 0; i < COLUMNS; i++) {
      x[COLUMNS + i] = 0;
      x[2 * COLUMNS + i] = 1e4 * x[2 * COLUMNS + i]!;
    }
    const all = await project(x, activations);
    expect([...all.subarray(ROWS, 2 * ROWS)].every((value) => value === 0)).toBe(true);
    for (const row of [0, 2, 3]) {
      const alone = await project(x.slice(row * COLUMNS, (row + 1) * COLUMNS), activations);
      expect(alone).toEqual(all.slice(row * ROWS, (row + 1) * ROWS));
    }
  });

  it('loses little where one of the products is far larger than the rest', async () => {
    const x = floats(2 * COLUMNS, 4);
    x[17] = 60;
    x[COLUMNS + 140] = -45;
    const expected = product(x);
    const unspread = relativeError(await project(x, 'attended'), expected);
    expect(relativeError(await project(x, 'products'), expected)).toBeLessThan(unspread / 2);
  });
});
