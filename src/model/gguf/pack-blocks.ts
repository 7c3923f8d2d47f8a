import { type BlockFormat, type IntegerFormat, roomFor } from './block-format.js';

/**
 * A matrix in the layout of MatMulNBits: w = scale · (code − 2^(bits − 1)) + offset, with one scale and one offset
 * for each block of weights along a row. Nothing is rounded that the file has not rounded.
 */
export interface PackedMatrix {
  bits: 4 | 8;
  /** Weights a block. */
  blockSize: 16 | 32;
  /** [rows, blocks, blockSize · bits / 8]; of two 4-bit codes in a byte the even one is low. */
  codes: Uint8Array;
  /** [rows, blocks] */
  scales: Float32Array;
  /** [rows, blocks], or null when every block is symmetric. */
  offsets: Float32Array | null;
}

/** Whether a format's blocks can be multiplied as they are. */
export function isPackable(format: BlockFormat): format is IntegerFormat {
  return format.integers !== null;
}

/** Make room for `rows` × `columns` weights. */
export function emptyPacked({ integers }: IntegerFormat, rows: number, columns: number): PackedMatrix {
  const { bits, group, offsets } = integers;
  const blocks = (rows * columns) / group;
  return {
    bits,
    blockSize: group,
    codes: new Uint8Array((blocks * group * bits) / 8),
    scales: new Float32Array(blocks),
    offsets: offsets ? new Float32Array(blocks) : null,
  };
}

/**
 * Fill `target` from stored bytes, beginning at block `at` of the packed layout. Codes are put around their middle:
 * scale · q + offset = scale · (q − centre) + (offset + scale · centre).
 */
export function packInto(target: PackedMatrix, at: number, format: IntegerFormat, stored: Uint8Array): void {
  const { integers, bytes, weights } = format;
  const { bits, group, centre } = integers;
  const { codes, scales, offsets } = roomFor(format, integers);
  const shift = 2 ** (bits - 1) - centre;
  for (let from = 0, block = at; from < stored.length; from += bytes, block += weights / group) {
    integers.codes(stored, from, codes);
    integers.scales(stored, from, scales, offsets);
    writeCodes(target, (block * group * bits) / 8, codes, shift);
    target.scales.set(scales, block);
    if (target.offsets)
      target.offsets.set(
        offsets.map((offset, i) => offset + scales[i]! * centre),
        block,
      );
  }
}

function writeCodes(target: PackedMatrix, to: number, codes: Int16Array, shift: number): void {
  if (target.bits === 8) for (let i = 0; i < codes.length; i++) target.codes[to + i] = codes[i]! + shift;
  else {
    for (let i = 0; i < codes.length; i += 2) {
      target.codes[to + (i >> 1)] = (codes[i]! + shift) | ((codes[i + 1]! + shift) << 4);
    }
  }
}
