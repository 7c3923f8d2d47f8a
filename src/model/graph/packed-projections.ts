import type { Matrix } from '../weights.js';
import { BlockSums } from './block-sums.js';
import { floatMatMul, floatMatrix } from './float-matrices.js';
import { type GraphWriter, MICROSOFT } from './graph-writer.js';
import { byFormat, type PackableMatrix, packable } from './packed-matrices.js';
import type { Projections } from './projections.js';
import { type Blocks, StoredBlocks } from './stored-blocks.js';

/** Activations are rounded to int8 in the blocks of the weights: what the integer kernels take. */
const INT8_ACTIVATIONS = 4;

/**
 * Matrices in 4-bit or 8-bit blocks, exactly as the file has them. A block's offset c adds c · Σx over the block:
 * y = MatMulNBits(x) + blocksum(x) · Cᵀ, with one blocksum for all matrices that read the same x. (An integer zero
 * point would round the offset away, and with it most of the model's quality.) Matrices of floats are rounded to
 * blocks of `floatsAs` bits; the embedding and the head, which suffer most, to 8. `fewestRows` is what the 4-bit kernels
 * may see; those for 8 bits give a row the same bits alone and with others on every CPU that was tried.
 */
export function packedProjections(floatsAs: 4 | 8, fewestRows: 1 | 2): Projections {
  const blockSums = new BlockSums();
  const stored = new StoredBlocks();
  return {
    fewestRows(matrix, part) {
      const bits = packable(matrix, part === 'head' ? 8 : floatsAs)?.format.integers.bits;
      return bits === 4 ? fewestRows : 1;
    },
    async embed(graph, ids, matrix) {
      const blocks = packable(matrix, 8);
      if (blocks && !blocks.format.integers.offsets)
        return lookUp(graph, await stored.of(graph, [blocks]), ids);
      const table = await floatMatrix(graph, matrix.name, [matrix]);
      return graph.node('embedded', 'Gather', [table, ids], { attributes: { axis: 0 } });
    },
    project: (graph, name, x, matrices) =>
      multiply({ graph, stored, blockSums, floatsAs }, name, x, matrices),
    async head(graph, name, x, matrix) {
      await multiply({ graph, stored, blockSums, floatsAs: 8 }, name, x, [matrix]);
    },
  };
}

interface Context {
  graph: GraphWriter;
  stored: StoredBlocks;
  blockSums: BlockSums;
  floatsAs: 4 | 8;
}

/** Rows of a matrix of symmetric blocks, as floats. */
function lookUp(
  graph: GraphWriter,
  { name, rows, columns, bits, blockSize, codes, scales }: Blocks,
  ids: string,
): string {
  const table = graph.stored(`${name}.table`, 'uint8', [rows, (columns * bits) / 8], codes);
  const steps = graph.stored(`${name}.table_scales`, 'float32', [rows, columns / blockSize], scales);
  return graph.node('embedded', 'GatherBlockQuantized', [table, ids, steps], {
    domain: MICROSOFT,
    attributes: { bits, block_size: blockSize, gather_axis: 0, quantize_axis: 1 },
  });
}

/** x · Wᵀ for all matrices side by side; neighbours of one layout are one multiplication. */
async function multiply(
  context: Context,
  name: string,
  x: string,
  matrices: readonly Matrix[],
): Promise<string> {
  const { graph, floatsAs } = context;
  const packed = matrices.map((matrix) => packable(matrix, floatsAs));
  if (!packed.every((matrix) => matrix !== null)) {
    return floatMatMul(graph, name, x, await floatMatrix(graph, `${name}.weight`, matrices));
  }
  const runs = byFormat(packed);
  if (runs.length === 1) return multiplyRun(context, name, x, runs[0]!);
  const parts: string[] = [];
  for (const [index, run] of runs.entries())
    parts.push(await multiplyRun(context, `${name}.${index}`, x, run));
  return graph.node(name, 'Concat', parts, { attributes: { axis: -1 } });
}

async function multiplyRun(
  { graph, stored, blockSums }: Context,
  name: string,
  x: string,
  matrices: readonly PackableMatrix[],
): Promise<string> {
  const { rows, columns, bits, blockSize, offsets, ...extents } = await stored.of(graph, matrices);
  const blocks = columns / blockSize;
  const codes = graph.stored(`${name}.codes`, 'uint8', [rows, blocks, (blockSize * bits) / 8], extents.codes);
  const scales = graph.stored(`${name}.scales`, 'float32', [rows * blocks], extents.scales);
  const product = offsets ? `${name}.codes_product` : name;
  graph.node(product, 'MatMulNBits', [x, codes, scales], {
    domain: MICROSOFT,
    attributes: { K: columns, N: rows, bits, block_size: blockSize, accuracy_level: INT8_ACTIVATIONS },
  });
  if (!offsets) return product;
  const table = graph.stored(`${name}.offsets`, 'float32', [rows, blocks], offsets);
  const sums = await blockSums.of(graph, x, columns, blockSize);
  return graph.node(name, 'Gemm', [sums, table, product], { attributes: { transB: 1 } });
}
