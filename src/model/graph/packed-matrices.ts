import type { IntegerFormat } from '../gguf/block-format.js';
import { emptyPacked, isPackable, type PackedMatrix, packInto } from '../gguf/pack-blocks.js';
import { quantize } from '../gguf/quantize.js';
import { Q4_1, Q8_0 } from '../gguf/small-blocks.js';
import type { Matrix } from '../weights.js';

/** A block format's matrix that can be packed: floats are rounded to blocks first. */
export interface PackableMatrix extends Matrix {
  format: IntegerFormat;
}

/**
 * The matrix as blocks: a format that has blocks is kept exactly, floats are rounded to `floatsAs`. Null when rows
 * don't divide into blocks.
 */
export function packable(matrix: Matrix, floatsAs: 4 | 8): PackableMatrix | null {
  if (isPackable(matrix.format)) return { ...matrix, format: matrix.format };
  const format = floatsAs === 4 ? Q4_1 : Q8_0;
  if (matrix.columns % format.weights !== 0) return null;
  const read = async (): Promise<Uint8Array> => {
    const floats = new Float32Array(matrix.rows * matrix.columns);
    matrix.format.dequantize(await matrix.read(), floats);
    return quantize(format, floats);
  };
  return { ...matrix, format, read };
}

/** Pack matrices of one format under one another. */
export async function packStacked(matrices: readonly PackableMatrix[]): Promise<PackedMatrix> {
  const { format, columns } = matrices[0]!;
  const rows = matrices.reduce((sum, matrix) => sum + matrix.rows, 0);
  const packed = emptyPacked(format, rows, columns);
  let at = 0;
  for (const matrix of matrices) {
    packInto(packed, at, format, await matrix.read());
    at += (matrix.rows * columns) / packed.blockSize;
  }
  return packed;
}

/** Runs of neighbours that share a format. */
export function byFormat(matrices: readonly PackableMatrix[]): PackableMatrix[][] {
  const runs: PackableMatrix[][] = [];
  for (const matrix of matrices) {
    const run = runs.at(-1);
    if (run?.[0]?.format === matrix.format) run.push(matrix);
    else runs.push([matrix]);
  }
  return runs;
}
