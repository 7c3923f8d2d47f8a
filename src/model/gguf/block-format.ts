/** How the tensors of a file are stored: how many weights share a block, how many bytes it takes, and what the weights are. */
export interface BlockFormat {
  /** As ggml names it, such as "Q4_1". */
  name: string;
  /** Its number in the tensor table. */
  type: number;
  /** Weights a block. */
  weights: number;
  /** Bytes a block. */
  bytes: number;
  /** The integers behind the weights; null for a format of floats. */
  integers: BlockIntegers | null;
  /** Decode `blocks` whole blocks into `out` (blocks × weights floats). */
  dequantize(blocks: Uint8Array, out: Float32Array): void;
}

/** A block as integers with a scale for each group of neighbours: w = scale · code, or w = scale · code + offset. */
export interface BlockIntegers {
  /** Weights that share a scale. */
  group: 16 | 32;
  /** What codes need: −2^(bits − 1) … 2^(bits − 1) − 1 once `centre` is taken away. */
  bits: 4 | 8;
  /** The middle of the codes: 0 where they are signed. */
  centre: number;
  /** Whether groups have offsets. */
  offsets: boolean;
  /** Write the codes of the block at `at`, in the order of the weights. */
  codes(bytes: Uint8Array, at: number, into: Int16Array): void;
  /** Write a scale for each group of the block and, where it has them, an offset. */
  scales(bytes: Uint8Array, at: number, scales: Float32Array, offsets: Float32Array): void;
}

/** A format whose blocks are integers. */
export interface IntegerFormat extends BlockFormat {
  integers: BlockIntegers;
}

type Layout = Pick<BlockFormat, 'name' | 'type' | 'weights' | 'bytes'>;

/** A format from how its blocks lie in memory and what integers they hold. */
export function integerFormat(layout: Layout, integers: BlockIntegers): IntegerFormat {
  const { weights, bytes } = layout;
  const { group } = integers;
  return {
    ...layout,
    integers,
    dequantize(blocks, out) {
      const { codes, scales, offsets } = roomFor(layout, integers);
      for (let at = 0, w = 0; w < out.length; at += bytes, w += weights) {
        integers.codes(blocks, at, codes);
        integers.scales(blocks, at, scales, offsets);
        for (let i = 0; i < weights; i++) {
          const of = Math.floor(i / group);
          out[w + i] = scales[of]! * codes[i]! + offsets[of]!;
        }
      }
    },
  };
}

/** Room for one block; offsets are zeros where a format has none. */
export function roomFor(
  { weights }: Pick<BlockFormat, 'weights'>,
  { group }: BlockIntegers,
): { codes: Int16Array; scales: Float32Array; offsets: Float32Array } {
  const groups = weights / group;
  return {
    codes: new Int16Array(weights),
    scales: new Float32Array(groups),
    offsets: new Float32Array(groups),
  };
}
