/**
 * GGUF's formats of 256 weights a block, in groups of 16 or 32 with scales that are integers themselves. Layouts as in
 * ggml-common.h; every multi-byte value is little-endian.
 */
import { integerFormat } from './block-format.js';
import { halfAt } from './half.js';
import { tabled } from './small-blocks.js';

/** Weight i of two-bit codes: of each 32 bytes the four bit pairs are 32 weights each, one pair after the other. */
const twoBits = (bytes: Uint8Array, at: number, i: number): number =>
  (bytes[at + 32 * (i >> 7) + (i & 31)]! >> (2 * ((i >> 5) & 3))) & 3;

/** Weight i of four-bit codes: of each 32 bytes the low nibbles are 32 weights, and the high ones the next. */
const fourBits = (bytes: Uint8Array, at: number, i: number): number =>
  (bytes[at + 32 * (i >> 6) + (i & 31)]! >> (4 * ((i >> 5) & 1))) & 15;

/** Bit i of 256 for weight i: bit plane i / 32 of 32 bytes. */
const planeBit = (bytes: Uint8Array, at: number, i: number): number =>
  (bytes[at + (i & 31)]! >> (i >> 5)) & 1;

/** Fill a block's codes, weight by weight. */
const filled =
  (code: (bytes: Uint8Array, at: number, i: number) => number) =>
  (bytes: Uint8Array, at: number, into: Int16Array): void => {
    for (let i = 0; i < 256; i++) into[i] = code(bytes, at, i);
  };

/** 16 bytes of a four-bit scale and, above it, a minimum; 64 of codes; half d, half dmin. w = d·scale·q − dmin·minimum. */
const Q2_K = integerFormat(
  { name: 'Q2_K', type: 10, weights: 256, bytes: 84 },
  {
    group: 16,
    bits: 4,
    centre: 2,
    offsets: true,
    codes: filled((bytes, at, i) => twoBits(bytes, at + 16, i)),
    scales(bytes, at, scales, offsets) {
      const d = halfAt(bytes, at + 80);
      const dmin = halfAt(bytes, at + 82);
      for (let sub = 0; sub < 16; sub++) {
        const pair = bytes[at + sub]!;
        scales[sub] = d * (pair & 15);
        offsets[sub] = -dmin * (pair >> 4);
      }
    },
  },
);

/** 32 bytes of third bits, 64 of codes, 12 of six-bit scales, half d. w = d·(scale − 32)·(q − 4). */
const Q3_K = integerFormat(
  { name: 'Q3_K', type: 11, weights: 256, bytes: 110 },
  {
    group: 16,
    bits: 4,
    centre: 0,
    offsets: false,
    codes: filled((bytes, at, i) => twoBits(bytes, at + 32, i) + 4 * planeBit(bytes, at, i) - 4),
    scales(bytes, at, scales) {
      const d = halfAt(bytes, at + 108);
      for (let sub = 0; sub < 16; sub++) {
        const low = (bytes[at + 96 + (sub & 7)]! >> (4 * (sub >> 3))) & 15;
        const high = (bytes[at + 104 + (sub & 3)]! >> (2 * (sub >> 2))) & 3;
        scales[sub] = d * ((low | (high << 4)) - 32);
      }
    },
  },
);

/** half d, half dmin, and 12 bytes at `at + 4` of six-bit scales and minima, one of each for eight groups. */
function scalesAndMinima(bytes: Uint8Array, at: number, scales: Float32Array, offsets: Float32Array): void {
  const d = halfAt(bytes, at);
  const dmin = halfAt(bytes, at + 2);
  for (let sub = 0; sub < 4; sub++) {
    const scale = bytes[at + 4 + sub]!;
    const minimum = bytes[at + 8 + sub]!;
    const low = bytes[at + 12 + sub]!;
    scales[sub] = d * (scale & 63);
    offsets[sub] = -dmin * (minimum & 63);
    scales[sub + 4] = d * ((low & 15) | ((scale >> 6) << 4));
    offsets[sub + 4] = -dmin * ((low >> 4) | ((minimum >> 6) << 4));
  }
}

/** half d, half dmin, scales and minima, 128 bytes of codes. w = d·scale·q − dmin·minimum. */
const Q4_K = integerFormat(
  { name: 'Q4_K', type: 12, weights: 256, bytes: 144 },
  {
    group: 32,
    bits: 4,
    centre: 8,
    offsets: true,
    codes: filled((bytes, at, i) => fourBits(bytes, at + 16, i)),
    scales: scalesAndMinima,
  },
);

/** As Q4_K, with 32 bytes of fifth bits before the codes. */
const Q5_K = integerFormat(
  { name: 'Q5_K', type: 13, weights: 256, bytes: 176 },
  {
    group: 32,
    bits: 8,
    centre: 16,
    offsets: true,
    codes: filled((bytes, at, i) => fourBits(bytes, at + 48, i) | (planeBit(bytes, at + 16, i) << 4)),
    scales: scalesAndMinima,
  },
);

/** Six-bit code of weight i: the low nibbles of 64 bytes are two groups of 32, the high ones the next two. */
function sixBits(bytes: Uint8Array, at: number, i: number): number {
  const half = i >> 7;
  const quarter = (i >> 5) & 3;
  const lane = i & 31;
  const low = bytes[at + 64 * half + 32 * (quarter & 1) + lane]! >> (4 * (quarter >> 1));
  const high = bytes[at + 128 + 32 * half + lane]! >> (2 * quarter);
  return (low & 15) | ((high & 3) << 4);
}

/** 128 bytes of low nibbles, 64 of upper bit pairs, 16 signed scales, half d. w = d·scale·(q − 32). */
export const Q6_K = integerFormat(
  { name: 'Q6_K', type: 14, weights: 256, bytes: 210 },
  {
    group: 16,
    bits: 8,
    centre: 0,
    offsets: false,
    codes: filled((bytes, at, i) => sixBits(bytes, at, i) - 32),
    scales(bytes, at, scales) {
      const d = halfAt(bytes, at + 208);
      for (let sub = 0; sub < 16; sub++) scales[sub] = d * ((bytes[at + 192 + sub]! << 24) >> 24);
    },
  },
);

/** half d, 16 upper bit pairs and 8 lower nibbles of scales, then nibbles as of IQ4_NL. w = d·(scale − 32)·value(q). */
const IQ4_XS = integerFormat(
  { name: 'IQ4_XS', type: 23, weights: 256, bytes: 136 },
  {
    group: 32,
    bits: 8,
    centre: 0,
    offsets: false,
    codes(bytes, at, into) {
      for (let sub = 0; sub < 8; sub++) tabled(bytes, at + 8 + 16 * sub, into, 32 * sub);
    },
    scales(bytes, at, scales) {
      const d = halfAt(bytes, at);
      for (let sub = 0; sub < 8; sub++) {
        const low = (bytes[at + 4 + (sub >> 1)]! >> (4 * (sub & 1))) & 15;
        const high = (bytes[at + 2 + (sub >> 2)]! >> (2 * (sub & 3))) & 3;
        scales[sub] = d * ((low | (high << 4)) - 32);
      }
    },
  },
);

export const LARGE_BLOCKS = [Q2_K, Q3_K, Q4_K, Q5_K, Q6_K, IQ4_XS] as const;
