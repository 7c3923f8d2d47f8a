import { floatMatMul } from './float-matrices.js';
import type { GraphWriter } from './graph-writer.js';

/** Sums of activations over blocks, each computed once. */
export class BlockSums {
  private readonly matrices = new Map<string, string>();
  private readonly known = new Map<string, string>();

  /** blocksum(x) [T, columns / blockSize]. */
  async of(graph: GraphWriter, x: string, columns: number, blockSize: number): Promise<string> {
    const name = `${x}.sums_of_${blockSize}`;
    const found = this.known.get(name);
    if (found) return found;
    const sums = floatMatMul(graph, name, x, await this.summing(graph, columns, blockSize));
    this.known.set(name, sums);
    return sums;
  }

  /** The matrix [blocks, columns] that sums each block: a small multiplication is faster than a reduction. */
  private async summing(graph: GraphWriter, columns: number, blockSize: number): Promise<string> {
    const name = `block_sums.${columns}.${blockSize}`;
    if (this.matrices.has(name)) return name;
    const blocks = columns / blockSize;
    const ones = new Float32Array(blocks * columns);
    for (let block = 0; block < blocks; block++) {
      ones.fill(1, block * columns + block * blockSize, block * columns + (block + 1) * blockSize);
    }
    this.matrices.set(name, await graph.constant(name, 'float32', [blocks, columns], ones));
    return name;
  }
}
