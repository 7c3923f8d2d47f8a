import type { Matrix } from '../weights.js';
import { type GraphWriter, MICROSOFT } from './graph-writer.js';

/** The rows of all matrices under one another as float32, row-major. */
export async function stackedFloats(matrices: readonly Matrix[]): Promise<Float32Array> {
  const total = matrices.reduce((sum, { rows, columns }) => sum + rows * columns, 0);
  const out = new Float32Array(total);
  let at = 0;
  for (const { rows, columns, format, read } of matrices) {
    format.dequantize(await read(), out.subarray(at, at + rows * columns));
    at += rows * columns;
  }
  return out;
}

/** Add float32 matrices, stacked, as a constant [rows, columns]. */
export async function floatMatrix(
  graph: GraphWriter,
  name: string,
  matrices: readonly Matrix[],
): Promise<string> {
  const rows = matrices.reduce((sum, matrix) => sum + matrix.rows, 0);
  return graph.constant(name, 'float32', [rows, matrices[0]!.columns], await stackedFloats(matrices));
}

/** y = x · Wᵀ. W keeps its stored layout [rows, columns]: the kernel packs it once at load. */
export function floatMatMul(graph: GraphWriter, name: string, x: string, weight: string): string {
  return graph.node(name, 'FusedMatMul', [x, weight], { domain: MICROSOFT, attributes: { transB: 1 } });
}
