import type { Matrix } from '../weights.js';
import { stackedFloats } from './float-matrices.js';
import { type GraphWriter, MICROSOFT } from './graph-writer.js';
import { packedProjections } from './packed-projections.js';
import type { Activations, Projections } from './projections.js';
import { LARGEST_CODE, RoundedRows } from './rounded-rows.js';
import { SpreadBlocks } from './spread-blocks.js';
import { StoredCodes } from './stored-codes.js';

/**
 * Integer multiplication: a row of activations and a row of a matrix have one scale each, y = s_x · s_w · (q_x · q_w).
 * A row's scale depends on nothing but the row. For weights from `rotatedWeights`; what those can't reach, the products
 * in the feed-forward layer, is rotated on its way. `bytes`: how matrices are stored; the results are the same.
 */
export function integerProjections(bytes: 'int8' | 'uint8'): Projections {
  const packed = packedProjections(8, 1);
  const rounding = new RoundedRows();
  const stored = new StoredCodes(bytes);
  const spreading = new SpreadBlocks();

  async function project(
    graph: GraphWriter,
    name: string,
    x: string,
    matrices: readonly Matrix[],
    activations: Activations,
  ): Promise<string> {
    const { columns } = matrices[0]!;
    const weights = await stackedFloats(matrices);
    if (activations === 'normed') {
      return multiply({ graph, stored }, name, await rounding.ofUnitRows(graph, x), weights, columns);
    }
    if (activations === 'products') SpreadBlocks.rotation(columns).apply(weights, 1);
    const rows = activations === 'products' ? await spreading.of(graph, x, columns) : x;
    const rounded = await rounding.of(graph, rows);
    const product = await multiply({ graph, stored }, `${name}.product`, rounded, weights, columns);
    return graph.node(name, 'Mul', [product, rounded.scales]);
  }

  return {
    fewestRows: () => 1,
    embed: (graph, ids, matrix) => packed.embed(graph, ids, matrix, false),
    project,
    async head(graph, name, x, matrix) {
      await project(graph, name, x, [matrix], 'normed');
    },
  };
}

/** Codes times codes, times what one of each stands for. */
async function multiply(
  { graph, stored }: { graph: GraphWriter; stored: StoredCodes },
  name: string,
  { codes, unit, middle }: { codes: string; unit: string; middle: string },
  weights: Float32Array,
  columns: number,
): Promise<string> {
  const rows = weights.length / columns;
  const rounded = roundedMatrix(weights, rows, columns);
  const matrix = await stored.of(graph, `${name}.codes`, [columns, rows], rounded.codes);
  const scales = await graph.constant(`${name}.scales`, 'float32', [rows], rounded.scales);
  const inputs = [codes, matrix.codes, unit, scales, middle, ...(matrix.middle ? [matrix.middle] : [])];
  return graph.node(name, 'MatMulIntegerToFloat', inputs, { domain: MICROSOFT });
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
