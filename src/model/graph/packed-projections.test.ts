import { describe, expect, it } from 'vitest';
import type { BlockFormat } from '../gguf/block-format.js';
import { BLOCK_FORMATS, F32 } from '../gguf/block-formats.js';
import { quantize, toHalf } from '../gguf/quantize.js';
import { Q4_1 } from '../gguf/small-blocks.js';
import { runAuthored } from '../testing/authored-graph.js';
import type { Matrix } from '../weights.js';
import type { GraphWriter } from './graph-writer.js';
import { packedProjections } from './packed-projections.js';

const COLUMNS = 256;
const POSITIONS = 3;

/** Numbers in −1 … 1, the same each time. */
const noise = (seed: number): number => ((Math.imul(seed + 1, 0x9e3779b1) >>> 0) / 2 ** 31 - 1) * 0.99;

const x = Float32Array.from({ length: POSITIONS * COLUMNS }, (_, i) => noise(i));

/** A matrix of a format, its weights well away from zero on average so that offsets matter. */
function randomMatrix(format: BlockFormat, rows: number, seed: number, columns = COLUMNS): Matrix {
  const weights = Float32Array.from({ length: rows * columns }, (_, i) => 0.3 + 0.2 * noise(i + 1000 * seed));
  const stored = HALVES[format.name]
    ? randomBlocks(format, (rows * columns) / format.weights, seed)
    : encode(format, weights);
  return { name: `${format.name}.${seed}`, rows, columns, format, read: async () => stored };
}

function encode(format: BlockFormat, weights: Float32Array): Uint8Array {
  if (format.name === 'F16') return new Uint8Array(Uint16Array.from(weights, toHalf).buffer);
  if (format.name === 'BF16') {
    const words = new Uint32Array(weights.slice().buffer);
    return new Uint8Array(Uint16Array.from(words, (word) => word >>> 16).buffer);
  }
  return quantize(format, weights);
}

/** Where a block's scale and offset are, in formats that tito doesn't write; what they are is of usual size. */
const HALVES: Readonly<Record<string, readonly (readonly [at: number, value: number])[]>> = {
  Q5_0: [[0, 0.02]],
  Q5_1: [
    [0, 0.02],
    [2, 0.1],
  ],
  IQ4_NL: [[0, 0.002]],
  Q2_K: [
    [80, 0.02],
    [82, -0.03],
  ],
  Q3_K: [[108, 0.004]],
  Q4_K: [
    [0, 0.002],
    [2, -0.003],
  ],
  Q5_K: [
    [0, 0.001],
    [2, -0.003],
  ],
  Q6_K: [[208, 0.0005]],
  IQ4_XS: [[0, 0.0001]],
};

/** Blocks of any content with sane scales. */
function randomBlocks(format: BlockFormat, blocks: number, seed: number): Uint8Array {
  const bytes = Uint8Array.from({ length: blocks * format.bytes }, (_, i) => (noise(i + seed) + 1) * 128);
  const view = new DataView(bytes.buffer);
  for (let block = 0; block < blocks; block++) {
    for (const [at, value] of HALVES[format.name]!) {
      view.setUint16(block * format.bytes + at, toHalf(value), true);
    }
  }
  return bytes;
}

async function floatsOf({ format, rows, columns, read }: Matrix): Promise<Float32Array> {
  const weights = new Float32Array(rows * columns);
  format.dequantize(await read(), weights);
  return weights;
}

/** x · Wᵀ of all matrices side by side, in double precision. */
async function expectedProduct(matrices: readonly Matrix[]): Promise<number[]> {
  const rows = await Promise.all(
    matrices.map(async (matrix) => {
      const weights = await floatsOf(matrix);
      return Array.from({ length: matrix.rows }, (_, row) =>
        weights.subarray(row * COLUMNS, (row + 1) * COLUMNS),
      );
    }),
  );
  return Array.from({ length: POSITIONS }, (_, position) =>
    rows.flat().map((row) => row.reduce((sum, weight, i) => sum + weight * x[position * COLUMNS + i]!, 0)),
  ).flat();
}

const input = (rows: number, columns: number) =>
  ({ x, columns: COLUMNS, ids: [3, 0], dims: [rows, columns] }) as const;

/** Largest error as a share of the largest value. */
const relativeError = (got: ArrayLike<number>, expected: readonly number[]): number =>
  Math.max(...expected.map((value, i) => Math.abs(got[i]! - value))) / Math.max(...expected.map(Math.abs));

describe('project', () => {
  it.each(BLOCK_FORMATS)('multiplies by $name blocks', async (format) => {
    const matrices = [randomMatrix(format, 24, 1), randomMatrix(format, 8, 2)];
    const { values, operators } = await runAuthored(input(POSITIONS, 32), (graph) =>
      packedProjections(4, 1).project(graph, 'y', 'x', matrices, 'normed'),
    );
    expect(relativeError(values, await expectedProduct(matrices))).toBeLessThan(0.01);
    expect(operators.filter((operator) => operator === 'MatMulNBits')).toHaveLength(1);
  });

  it('keeps the order of matrices of different formats', async () => {
    const formats = BLOCK_FORMATS.filter((format) => ['Q4_1', 'Q6_K', 'Q8_0', 'Q4_K'].includes(format.name));
    const matrices = formats.map((format, index) => randomMatrix(format, 16, index));
    const { values, operators } = await runAuthored(input(POSITIONS, 64), (graph) =>
      packedProjections(4, 1).project(graph, 'y', 'x', matrices, 'normed'),
    );
    expect(relativeError(values, await expectedProduct(matrices))).toBeLessThan(0.01);
    expect(operators.filter((operator) => operator === 'Concat')).toHaveLength(1);
  });

  it('sums the blocks of an input once for all matrices that read it', async () => {
    const { operators } = await runAuthored(input(POSITIONS, 16), async (graph) => {
      const projections = packedProjections(4, 1);
      const first = await projections.project(graph, 'a', 'x', [randomMatrix(Q4_1, 16, 1)], 'normed');
      const second = await projections.project(graph, 'b', 'x', [randomMatrix(Q4_1, 16, 2)], 'normed');
      return graph.node('sum', 'Add', [first, second]);
    });
    expect(operators.sort()).toEqual(['Add', 'FusedMatMul', 'Gemm', 'Gemm', 'MatMulNBits', 'MatMulNBits']);
  });

  it('leaves floats as they are when rows are not whole blocks', async () => {
    const folded = graphColumns(40);
    const matrix = randomMatrix(F32, 4, 1, 40);
    const { values, operators } = await runAuthored(input(POSITIONS, 4), async (graph) =>
      packedProjections(4, 1).project(graph, 'y', await folded(graph), [matrix], 'normed'),
    );
    const weights = await floatsOf(matrix);
    const expected = Array.from({ length: POSITIONS }, (_, position) =>
      Array.from({ length: 4 }, (_, row) =>
        weights
          .subarray(row * 40, row * 40 + 40)
          .reduce((sum, w, i) => sum + w * x[position * COLUMNS + i]!, 0),
      ),
    ).flat();
    expect(relativeError(values, expected)).toBeLessThan(1e-5);
    expect(operators).not.toContain('MatMulNBits');
  });
});

/** The first columns of x. */
function graphColumns(count: number): (graph: GraphWriter) => Promise<string> {
  return async (graph) => {
    const bound = (name: string, value: number): Promise<string> =>
      graph.constant(name, 'int64', [1], BigInt64Array.of(BigInt(value)));
    return graph.node('cut', 'Slice', [
      'x',
      await bound('from', 0),
      await bound('to', count),
      await bound('axis', 1),
    ]);
  };
}

describe('embed and head', () => {
  it.each(BLOCK_FORMATS)('look up and score with one $name matrix', async (format) => {
    const matrix = randomMatrix(format, 16, 5);
    const weights = await floatsOf(matrix);
    const embedded = await runAuthored(input(2, COLUMNS), (graph) =>
      packedProjections(4, 1).embed(graph, 'ids', matrix, true),
    );
    const expected = [3, 0].flatMap((id) => [...weights.subarray(id * COLUMNS, (id + 1) * COLUMNS)]);
    expect(relativeError(embedded.values, expected)).toBeLessThan(format.integers ? 1e-6 : 0.005);

    const logits = await runAuthored(input(POSITIONS, 16), async (graph) => {
      const projections = packedProjections(4, 1);
      await projections.embed(graph, 'ids', matrix, true);
      await projections.head(graph, 'logits', 'x', matrix);
      return 'logits';
    });
    expect(relativeError(logits.values, await expectedProduct([matrix]))).toBeLessThan(0.01);
  });
});
