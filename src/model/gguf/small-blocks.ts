/**
 * GGUF's formats of 32 weights a block. Layouts as in ggml-common.h; every multi-byte value is little-endian. A byte of
 * `nibbles` holds weight j low and weight j + 16 high.
 */
import { type BlockIntegers, integerFormat } from './block-format.js';
import { halfAt } from './half.js';

/** What code 0 … 15 of the IQ4 formats stands for. */
export const IQ4_VALUES = Int8Array.of(
  -127,
  -104,
  -83,
  -65,
  -49,
  -35,
  -22,
  -10,
  1,
  13,
  25,
  38,
  53,
  69,
  89,
  113,
);

/** The 16 bytes of nibbles at `at` as 32 codes from `to`, less `centre`. */
function nibbles(bytes: Uint8Array, at: number, into: Int16Array, to: number, centre: number): void {
  for (let j = 0; j < 16; j++) {
    const pair = bytes[at + j]!;
    into[to + j] = (pair & 15) - centre;
    into[to + 16 + j] = (pair >> 4) - centre;
  }
}

/** As `nibbles`, each looked up in the table of the IQ4 formats. */
export function tabled(bytes: Uint8Array, at: number, into: Int16Array, to: number): void {
  for (let j = 0; j < 16; j++) {
    const pair = bytes[at + j]!;
    into[to + j] = IQ4_VALUES[pair & 15]!;
    into[to + 16 + j] = IQ4_VALUES[pair >> 4]!;
  }
}

/** As `nibbles`, with a fifth bit for each weight in the four bytes at `high`. */
function fiveBits(bytes: Uint8Array, high: number, at: number, into: Int16Array, centre: number): void {
  nibbles(bytes, at, into, 0, centre);
  for (let j = 0; j < 32; j++) into[j]! += ((bytes[high + (j >> 3)]! >> (j & 7)) & 1) << 4;
}

/** half d. */
const symmetric = {
  group: 32,
  centre: 0,
  offsets: false,
  scales(bytes: Uint8Array, at: number, scales: Float32Array): void {
    scales[0] = halfAt(bytes, at);
  },
} as const satisfies Partial<BlockIntegers>;

/** half d, half m. */
const withMinimum = {
  group: 32,
  offsets: true,
  scales(bytes: Uint8Array, at: number, scales: Float32Array, offsets: Float32Array): void {
    scales[0] = halfAt(bytes, at);
    offsets[0] = halfAt(bytes, at + 2);
  },
} as const satisfies Partial<BlockIntegers>;

/** half d, nibbles. w = d·(q − 8). */
export const Q4_0 = integerFormat(
  { name: 'Q4_0', type: 2, weights: 32, bytes: 18 },
  { ...symmetric, bits: 4, codes: (bytes, at, into) => nibbles(bytes, at + 2, into, 0, 8) },
);

/** half d, half m, nibbles. w = d·q + m. */
export const Q4_1 = integerFormat(
  { name: 'Q4_1', type: 3, weights: 32, bytes: 20 },
  { ...withMinimum, bits: 4, centre: 8, codes: (bytes, at, into) => nibbles(bytes, at + 4, into, 0, 0) },
);

/** half d, 32 fifth bits, nibbles. w = d·(q − 16). */
const Q5_0 = integerFormat(
  { name: 'Q5_0', type: 6, weights: 32, bytes: 22 },
  { ...symmetric, bits: 8, codes: (bytes, at, into) => fiveBits(bytes, at + 2, at + 6, into, 16) },
);

/** half d, half m, 32 fifth bits, nibbles. w = d·q + m. */
const Q5_1 = integerFormat(
  { name: 'Q5_1', type: 7, weights: 32, bytes: 24 },
  {
    ...withMinimum,
    bits: 8,
    centre: 16,
    codes: (bytes, at, into) => fiveBits(bytes, at + 4, at + 8, into, 0),
  },
);

/** half d, 32 signed bytes. w = d·q. */
export const Q8_0 = integerFormat(
  { name: 'Q8_0', type: 8, weights: 32, bytes: 34 },
  {
    ...symmetric,
    bits: 8,
    codes(bytes, at, into) {
      for (let j = 0; j < 32; j++) into[j] = (bytes[at + 2 + j]! << 24) >> 24;
    },
  },
);

/** half d, nibbles. w = d·value(q). */
const IQ4_NL = integerFormat(
  { name: 'IQ4_NL', type: 20, weights: 32, bytes: 18 },
  { ...symmetric, bits: 8, codes: (bytes, at, into) => tabled(bytes, at + 2, into, 0) },
);

export const SMALL_BLOCKS = [Q4_0, Q4_1, Q5_0, Q5_1, Q8_0, IQ4_NL] as const;
