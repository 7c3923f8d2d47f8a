import type { GraphWriter } from './graph-writer.js';
import { Orthogonal } from './orthogonal.js';

/** Wide enough to spread an outlier, narrow enough to cost little. */
const WIDEST = 64;

/** Rotates activations in the graph, block by block, where no matrix before can take the rotation up. */
export class SpreadBlocks {
  private readonly matrices = new Map<number, Promise<string>>();

  /** The rotation of one block of activations that are `columns` wide. */
  static rotation(columns: number): Orthogonal {
    return new Orthogonal(Math.min(WIDEST, columns & -columns));
  }

  /** x [T, columns], rotated. */
  async of(graph: GraphWriter, x: string, columns: number): Promise<string> {
    const rotation = SpreadBlocks.rotation(columns);
    const { size } = rotation;
    if (!this.matrices.has(size)) this.matrices.set(size, constantOf(graph, rotation));
    const dims = (name: string, width: number): Promise<string> =>
      graph.constant(`${x}.${name}`, 'int64', [2], BigInt64Array.of(-1n, BigInt(width)));
    const blocks = graph.node(`${x}.blocks`, 'Reshape', [x, await dims('block_shape', size)]);
    const spread = graph.node(`${x}.spread_blocks`, 'MatMul', [blocks, await this.matrices.get(size)!]);
    return graph.node(`${x}.spread`, 'Reshape', [spread, await dims('row_shape', columns)]);
  }
}

/** The matrix that a row is multiplied with from the right. */
async function constantOf(graph: GraphWriter, rotation: Orthogonal): Promise<string> {
  const { size } = rotation;
  const rows = Float32Array.from({ length: size * size }, (_, i) => (i % (size + 1) === 0 ? 1 : 0));
  rotation.apply(rows, 1);
  return graph.constant(`spread.${size}`, 'float32', [size, size], rows);
}
