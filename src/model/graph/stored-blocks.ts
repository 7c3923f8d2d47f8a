import type { PackedMatrix } from '../gguf/pack-blocks.js';
import type { Extent } from './external-data.js';
import type { GraphWriter } from './graph-writer.js';
import { type PackableMatrix, packStacked } from './packed-matrices.js';

/** A packed matrix in the external data file. */
export interface Blocks extends Pick<PackedMatrix, 'bits' | 'blockSize'> {
  name: string;
  rows: number;
  columns: number;
  codes: Extent;
  scales: Extent;
  offsets: Extent | null;
}

/** Writes packed matrices out; one that is used twice, as a tied embedding is, only once. */
export class StoredBlocks {
  private readonly known = new Map<string, Blocks>();

  /** The matrices of one layout, under one another. */
  async of(graph: GraphWriter, matrices: readonly PackableMatrix[]): Promise<Blocks> {
    const name = matrices.map((matrix) => matrix.name).join('+');
    const found = this.known.get(name);
    if (found) return found;
    const { bits, blockSize, codes, scales, offsets } = await packStacked(matrices);
    const blocks: Blocks = {
      name,
      rows: matrices.reduce((sum, { rows }) => sum + rows, 0),
      columns: matrices[0]!.columns,
      bits,
      blockSize,
      codes: await graph.store(codes),
      scales: await graph.store(scales),
      offsets: offsets && (await graph.store(offsets)),
    };
    this.known.set(name, blocks);
    return blocks;
  }
}
