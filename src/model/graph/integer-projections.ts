import type { Matrix } from '../weights.js';
import { stackedFloats } from './float-matrices.js';
import { type GraphWriter, MICROSOFT } from './graph-writer.js';
import { packedProjections } from './packed-projections.js';
import type { Projections } from './projections.js';
import { LARGEST_CODE, RoundedRows } from './rounded-rows.js';
import { SpreadBlocks } from './spread-blocks.js';

/**
 * Integer multiplication: a row of activations and a row of a matrix have one scale each, y = s_x · s_w · (q_x · q_w).
 * The scale of a row of activations is found as it comes, so a row's result does not depend on the others. For
 * weights from `rotatedWeights`; what those can't reach, the products in the feed-forward layer, is rotated on its way.
 */
export function integerProjections(): Projections {
  const packed = packedProjections(8);
  const rounding = new RoundedRows();
  const spreading = new SpreadBlocks();
  const multiplyFloats = async (
    graph: GraphWriter,
    name: string,
    x: string,
    columns: number,
    floats: Float32Array,
  ): Promise<string> => {
    const rows = floats.length / columns;
    const { codes, scales } = roundedMatrix(floats, rows, columns);
    const weight = await graph.constant(`${name}.codes`, 'int8', [columns, rows], codes);
    const steps = await graph.constant(`${name}.scales`, 'float32', [rows], scales);
    const { codes: activations, scales: peaks, unit, middle } = await rounding.of(graph, x);
    const inputs = [activations, weight, unit, steps, middle];
    graph.node(`${name}.product`, 'MatMulIntegerToFloat', inputs, { domain: MICROSOFT });
    return graph.node(name, 'Mul', [`${name}.product`, peaks]);
  };
  const project = async (graph: GraphWriter, name: string, x: string, matrices: readonly Matrix[]) =>
    multiplyFloats(graph, name, x, matrices[0]!.columns, await stackedFloats(matrices));
  return {
    embed: (graph, ids, matrix) => packed.embed(graph, ids, matrix, false),
    project,
    async projectProducts(graph, name, x, matrix) {
      const { columns } = matrix;
      const floats = await stackedFloats([matrix]);
      SpreadBlocks.rotation(columns).apply(floats, 1);
      return multiplyFloats(graph, name, await spreading.of(graph, x, columns), columns, floats);
    },
    async head(graph, name, x, matrix) {
      await project(graph, name, x, [matrix]);
    },
  };
}

/** Rows rounded to codes [columns, rows], with a scale each. */
function roundedMatrix(
  values: Float32Array,
  rows: number,
  columns: number,
): { codes: Int8Array; scales: Float32Array } {
  const codes = new Int8Array(rows * columns);
  const scales = new Float32Array(rows);
  for (let row = 0; row < rows; row++) {
    const from = row * columns;
    let peak = 0;
    for (let i = from; i < from + columns; i++) {
      const magnitude = Math.abs(values[i]!);
      if (magnitude > peak) peak = magnitude;
    }
    scales[row] = peak / LARGEST_CODE;
    const factor = peak === 0 ? 0 : LARGEST_CODE / peak;
    for (let i = 0; i < columns; i++) codes[i * rows + row] = Math.round(values[from + i]! * factor);
  }
  return { codes, scales };
}
