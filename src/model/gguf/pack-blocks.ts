import { type BlockFormat, halfAt, q6Code, scaleAndMinimum } from './block-formats.js';

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

/** Fills `target` from stored bytes, beginning at block `at` of the packed layout. */
type Packer = (stored: Uint8Array, target: PackedMatrix, at: number) => void;

export interface PackedLayout {
  bits: 4 | 8;
  blockSize: 16 | 32;
  /** Whether blocks have offsets. */
  offsets: boolean;
  pack: Packer;
}

const LAYOUTS: Readonly<Record<string, PackedLayout>> = {
  Q4_0: { bits: 4, blockSize: 32, offsets: false, pack: packQ4_0 },
  Q4_1: { bits: 4, blockSize: 32, offsets: true, pack: packQ4_1 },
  Q4_K: { bits: 4, blockSize: 32, offsets: true, pack: packQ4_K },
  Q8_0: { bits: 8, blockSize: 32, offsets: false, pack: packQ8_0 },
  Q6_K: { bits: 8, blockSize: 16, offsets: false, pack: packQ6_K },
};

/** The layout that holds this format exactly, or null for a format of floats. */
export function packedLayout({ name }: BlockFormat): PackedLayout | null {
  return LAYOUTS[name] ?? null;
}

/** Make room for `rows` × `columns` weights. */
export function emptyPacked(layout: PackedLayout, rows: number, columns: number): PackedMatrix {
  const { bits, blockSize } = layout;
  const blocks = (rows * columns) / blockSize;
  return {
    bits,
    blockSize,
    codes: new Uint8Array((blocks * blockSize * bits) / 8),
    scales: new Float32Array(blocks),
    offsets: layout.offsets ? new Float32Array(blocks) : null,
  };
}

/** 16 bytes of (weight j, weight j + 16) become 16 bytes of (weight 2j, weight 2j + 1). */
function interleave(stored: Uint8Array, from: number, codes: Uint8Array, to: number): void {
  for (let j = 0; j < 8; j++) {
    const even = stored[from + 2 * j]!;
    const odd = stored[from + 2 * j + 1]!;
    codes[to + j] = (even & 15) | ((odd & 15) << 4);
    codes[to + 8 + j] = (even >> 4) | (odd & 0xf0);
  }
}

function packQ4_0(stored: Uint8Array, { codes, scales }: PackedMatrix, at: number): void {
  for (let from = 0, block = at; from < stored.length; from += 18, block++) {
    scales[block] = halfAt(stored, from);
    interleave(stored, from + 2, codes, 16 * block);
  }
}

/** d·q + m = d·(q − 8) + (m + 8d). */
function packQ4_1(stored: Uint8Array, { codes, scales, offsets }: PackedMatrix, at: number): void {
  for (let from = 0, block = at; from < stored.length; from += 20, block++) {
    const d = halfAt(stored, from);
    scales[block] = d;
    offsets![block] = halfAt(stored, from + 2) + 8 * d;
    interleave(stored, from + 4, codes, 16 * block);
  }
}

/** Each sub-block of 32 is a block of its own: d·scale·q − dmin·minimum. */
function packQ4_K(stored: Uint8Array, { codes, scales, offsets }: PackedMatrix, at: number): void {
  for (let from = 0, block = at; from < stored.length; from += 144) {
    const d = halfAt(stored, from);
    const dmin = halfAt(stored, from + 2);
    for (let sub = 0; sub < 8; sub++, block++) {
      const [scale, minimum] = scaleAndMinimum(stored, from + 4, sub);
      scales[block] = d * scale;
      offsets![block] = 8 * d * scale - dmin * minimum;
      const nibbles = from + 16 + 32 * (sub >> 1);
      const shift = 4 * (sub & 1);
      for (let j = 0; j < 16; j++) {
        const even = (stored[nibbles + 2 * j]! >> shift) & 15;
        const odd = (stored[nibbles + 2 * j + 1]! >> shift) & 15;
        codes[16 * block + j] = even | (odd << 4);
      }
    }
  }
}

function packQ8_0(stored: Uint8Array, { codes, scales }: PackedMatrix, at: number): void {
  for (let from = 0, block = at; from < stored.length; from += 34, block++) {
    scales[block] = halfAt(stored, from);
    for (let j = 0; j < 32; j++) codes[32 * block + j] = stored[from + 2 + j]! ^ 0x80;
  }
}

/** Six-bit codes of blocks of 16 fit eight bits: q − 32 = (q + 96) − 128. */
function packQ6_K(stored: Uint8Array, { codes, scales }: PackedMatrix, at: number): void {
  for (let from = 0, block = at; from < stored.length; from += 210, block += 16) {
    const d = halfAt(stored, from + 208);
    for (let sub = 0; sub < 16; sub++) scales[block + sub] = d * ((stored[from + 192 + sub]! << 24) >> 24);
    for (let i = 0; i < 256; i++) codes[16 * block + i] = q6Code(stored, from, i) + 96;
  }
}
