import type { Matrix } from '../weights.js';
import { floatMatMul, floatMatrix } from './float-matrices.js';
import type { GraphWriter } from './graph-writer.js';

/**
 * Where activations come from, which says how far they can be rounded: out of a norm (a root mean square of 1 times the
 * norm's weights), out of attention, or products of two others, with outliers among them.
 */
export type Activations = 'normed' | 'attended' | 'products';

/** How a decoder's matrices are stored and multiplied: one implementation for each precision. */
export interface Projections {
  /** The fewest rows that the kernel for a matrix may see, if a row's result is not to depend on the others. */
  fewestRows(matrix: Matrix, part: 'layers' | 'head'): number;
  /** Rows [T, hidden] of the embedding for flat ids [T]. `tied`: the same matrix is the head. */
  embed(graph: GraphWriter, ids: string, matrix: Matrix, tied: boolean): Promise<string>;
  /** x [T, columns] → [T, all rows]: the matrices' results side by side. */
  project(
    graph: GraphWriter,
    name: string,
    x: string,
    matrices: readonly Matrix[],
    activations: Activations,
  ): Promise<string>;
  /** Logits [R, vocab] of normed rows, as the output `name`. */
  head(graph: GraphWriter, name: string, x: string, matrix: Matrix): Promise<void>;
}

/** Everything in float32. */
export function floatProjections(): Projections {
  let embedding: { name: string; tied: boolean } | null = null;
  return {
    fewestRows: () => 1,
    async embed(graph, ids, matrix, tied) {
      const table = await floatMatrix(graph, matrix.name, [matrix]);
      embedding = { name: table, tied };
      return graph.node('embedded', 'Gather', [table, ids], { attributes: { axis: 0 } });
    },
    async project(graph, name, x, matrices) {
      return floatMatMul(graph, name, x, await floatMatrix(graph, `${name}.weight`, matrices));
    },
    async head(graph, name, x, matrix) {
      const weight = embedding?.tied ? embedding.name : await floatMatrix(graph, matrix.name, [matrix]);
      floatMatMul(graph, name, x, weight);
    },
  };
}
