import type { BlockFormat } from './block-format.js';
import { halfAt } from './half.js';
import { LARGE_BLOCKS } from './large-blocks.js';
import { SMALL_BLOCKS } from './small-blocks.js';

export const F32: BlockFormat = {
  name: 'F32',
  type: 0,
  weights: 1,
  bytes: 4,
  integers: null,
  dequantize(blocks, out) {
    new Uint8Array(out.buffer, out.byteOffset, out.byteLength).set(blocks.subarray(0, out.byteLength));
  },
};

export const F16: BlockFormat = {
  name: 'F16',
  type: 1,
  weights: 1,
  bytes: 2,
  integers: null,
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
  integers: null,
  dequantize(blocks, out) {
    const words = new Uint32Array(out.buffer, out.byteOffset, out.length);
    for (let i = 0; i < out.length; i++) words[i] = (blocks[2 * i]! << 16) | (blocks[2 * i + 1]! << 24);
  },
};

/** The tensor formats that tito reads. */
export const BLOCK_FORMATS: readonly BlockFormat[] = [F32, F16, BF16, ...SMALL_BLOCKS, ...LARGE_BLOCKS];

/** The format with this number in the tensor table, or null when it can't be read here. */
export function blockFormat(type: number): BlockFormat | null {
  return BLOCK_FORMATS.find((format) => format.type === type) ?? null;
}
