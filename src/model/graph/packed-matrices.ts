import { type BlockFormat, Q4_1, Q8_0 } from '../gguf/block-formats.js';
import { emptyPacked, type PackedLayout, type PackedMatrix, packedLayout } from '../gguf/pack-blocks.js';
import { quantize } from '../gguf/quantize.js';
import type { Matrix } from '../weights.js';

/** A block format's matrix that can be packed: floats are rounded to blocks first. */
export interface PackableMatrix extends Matrix {
  layout: PackedLayout;
}

/**
 * The matrix as blocks: a format that has blocks is kept exactly, floats are rounded to `floatsAs`. Null when rows
 * don't divide into blocks.
 */
export function packable(matrix: Matrix, floatsAs: 4 | 8): PackableMatrix | null {
  const layout = packedLayout(matrix.format);
  if (layout) return { ...matrix, layout };
  const format: BlockFormat = floatsAs === 4 ? Q4_1 : Q8_0;
  if (matrix.columns % format.weights !== 0) return null;
  const read = async (): Promise<Uint8Array> => {
    const floats = new Float32Array(matrix.rows * matrix.columns);
    matrix.format.dequantize(await matrix.read(), floats);
    return quantize(format, floats);
  };
  return { ...matrix, format, read, layout: packedLayout(format)! };
}

/** Pack matrices of one layout under one another. */
export async function packStacked(matrices: readonly PackableMatrix[]): Promise<PackedMatrix> {
  const { layout, columns } = matrices[0]!;
  const rows = matrices.reduce((sum, matrix) => sum + matrix.rows, 0);
  const packed = emptyPacked(layout, rows, columns);
  let at = 0;
  for (const matrix of matrices) {
    layout.pack(await matrix.read(), packed, at);
    at += (matrix.rows * columns) / layout.blockSize;
  }
  return packed;
}

/** Runs of neighbours that share a layout. */
export function byLayout(matrices: readonly PackableMatrix[]): PackableMatrix[][] {
  const runs: PackableMatrix[][] = [];
  for (const matrix of matrices) {
    const run = runs.at(-1);
    if (run?.[0]?.layout === matrix.layout) run.push(matrix);
    else runs.push([matrix]);
  }
  return runs;
}
