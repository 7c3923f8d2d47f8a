/**
 * The tensor formats of GGUF: how many weights share a block, how many bytes it takes, and what the weights are.
 * Layouts as in ggml-common.h; every multi-byte value is little-endian.
 */
export interface BlockFormat {
  /** As ggml names it, such as "Q4_1". */
  name: string;
  /** Its number in the tensor table. */
  type: number;
  /** Weights a block. */
  weights: number;
  /** Bytes a block. */
  bytes: number;
  /** Decode `blocks` whole blocks into `out` (blocks × weights floats). */
  dequantize(blocks: Uint8Array, out: Float32Array): void;
}

let halves: Float32Array | null = null;

/** The value of each of the 65,536 half-precision patterns. */
function halfTable(): Float32Array {
  if (halves) return halves;
  halves = new Float32Array(65536);
  for (let bits = 0; bits < 65536; bits++) halves[bits] = halfToNumber(bits);
  return halves;
}

function halfToNumber(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 31) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

/** Half-precision value at a byte offset. */
export function halfAt(bytes: Uint8Array, at: number): number {
  return halfTable()[bytes[at]! | (bytes[at + 1]! << 8)]!;
}

export const F32: BlockFormat = {
  name: 'F32',
  type: 0,
  weights: 1,
  bytes: 4,
  dequantize(blocks, out) {
    new Uint8Array(out.buffer, out.byteOffset, out.byteLength).set(blocks.subarray(0, out.byteLength));
  },
};

export const F16: BlockFormat = {
  name: 'F16',
  type: 1,
  weights: 1,
  bytes: 2,
  dequantize(blocks, out) {
    for (let i = 0; i < out.length; i++) out[i] = halfAt(blocks, 2 * i);
  },
};

/** The upper half of a float32. */
export const BF16: BlockFormat = {
  name: 'BF16',
  type: 30,
  weights: 1,
  bytes: 2,
  dequantize(blocks, out) {
    const words = new Uint32Array(out.buffer, out.byteOffset, out.length);
    for (let i = 0; i < out.length; i++) words[i] = (blocks[2 * i]! << 16) | (blocks[2 * i + 1]! << 24);
  },
};

/** half d, 16 bytes of two codes: weight j in the low nibble of byte j, weight j + 16 in the high one. w = d·(q − 8). */
export const Q4_0: BlockFormat = {
  name: 'Q4_0',
  type: 2,
  weights: 32,
  bytes: 18,
  dequantize(blocks, out) {
    for (let at = 0, w = 0; w < out.length; at += 18, w += 32) {
      const d = halfAt(blocks, at);
      for (let j = 0; j < 16; j++) {
        const pair = blocks[at + 2 + j]!;
        out[w + j] = d * ((pair & 15) - 8);
        out[w + 16 + j] = d * ((pair >> 4) - 8);
      }
    }
  },
};

/** half d, half m, codes as in Q4_0. w = d·q + m. */
export const Q4_1: BlockFormat = {
  name: 'Q4_1',
  type: 3,
  weights: 32,
  bytes: 20,
  dequantize(blocks, out) {
    for (let at = 0, w = 0; w < out.length; at += 20, w += 32) {
      const d = halfAt(blocks, at);
      const m = halfAt(blocks, at + 2);
      for (let j = 0; j < 16; j++) {
        const pair = blocks[at + 4 + j]!;
        out[w + j] = d * (pair & 15) + m;
        out[w + 16 + j] = d * (pair >> 4) + m;
      }
    }
  },
};

/** half d, 32 signed bytes. w = d·q. */
export const Q8_0: BlockFormat = {
  name: 'Q8_0',
  type: 8,
  weights: 32,
  bytes: 34,
  dequantize(blocks, out) {
    for (let at = 0, w = 0; w < out.length; at += 34, w += 32) {
      const d = halfAt(blocks, at);
      for (let j = 0; j < 32; j++) out[w + j] = d * ((blocks[at + 2 + j]! << 24) >> 24);
    }
  },
};

/** Six-bit scale and minimum of sub-block 0 … 7, packed into the 12 bytes at `at` of a Q4_K block. */
export function scaleAndMinimum(bytes: Uint8Array, at: number, sub: number): readonly [number, number] {
  if (sub < 4) return [bytes[at + sub]! & 63, bytes[at + sub + 4]! & 63];
  const low = bytes[at + sub + 4]!;
  return [(low & 15) | ((bytes[at + sub - 4]! >> 6) << 4), (low >> 4) | ((bytes[at + sub]! >> 6) << 4)];
}

/**
 * half d, half dmin, 12 bytes of scales and minima, 128 bytes of codes: of each 32 bytes the low nibbles are one
 * sub-block of 32 and the high nibbles the next. w = d·scale·q − dmin·minimum.
 */
const Q4_K: BlockFormat = {
  name: 'Q4_K',
  type: 12,
  weights: 256,
  bytes: 144,
  dequantize(blocks, out) {
    for (let at = 0, w = 0; w < out.length; at += 144, w += 256) {
      const d = halfAt(blocks, at);
      const dmin = halfAt(blocks, at + 2);
      for (let sub = 0; sub < 8; sub++) {
        const [scale, minimum] = scaleAndMinimum(blocks, at + 4, sub);
        const codes = at + 16 + 32 * (sub >> 1);
        const shift = 4 * (sub & 1);
        const to = w + 32 * sub;
        for (let j = 0; j < 32; j++)
          out[to + j] = d * scale * ((blocks[codes + j]! >> shift) & 15) - dmin * minimum;
      }
    }
  },
};

/** Six-bit code 0 … 63 of weight 0 … 255 of the Q6_K block at `at`. */
export function q6Code(bytes: Uint8Array, at: number, weight: number): number {
  const half = weight >> 7;
  const within = weight & 127;
  const quarter = within >> 5;
  const lane = within & 31;
  const low = bytes[at + 64 * half + 32 * (quarter & 1) + lane]! >> (4 * (quarter >> 1));
  const high = bytes[at + 128 + 32 * half + lane]! >> (2 * quarter);
  return (low & 15) | ((high & 3) << 4);
}

/** 128 bytes of low nibbles, 64 of upper bit pairs, 16 signed scales, half d. w = d·scale·(q − 32), blocks of 16. */
export const Q6_K: BlockFormat = {
  name: 'Q6_K',
  type: 14,
  weights: 256,
  bytes: 210,
  dequantize(blocks, out) {
    for (let at = 0, w = 0; w < out.length; at += 210, w += 256) {
      const d = halfAt(blocks, at + 208);
      for (let i = 0; i < 256; i++) {
        const scale = (blocks[at + 192 + (i >> 4)]! << 24) >> 24;
        out[w + i] = d * scale * (q6Code(blocks, at, i) - 32);
      }
    }
  },
};

export const BLOCK_FORMATS = [F32, F16, BF16, Q4_0, Q4_1, Q8_0, Q4_K, Q6_K] as const;

/** The format with this number in the tensor table, or null when it can't be read here. */
export function blockFormat(type: number): BlockFormat | null {
  return BLOCK_FORMATS.find((format) => format.type === type) ?? null;
}
