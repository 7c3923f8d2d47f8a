import type { BlockFormat } from './block-format.js';
import { F32 } from './block-formats.js';
import { Q4_0, Q4_1, Q8_0 } from './small-blocks.js';

const scratch = new Float32Array(1);
const scratchBits = new Uint32Array(scratch.buffer);

/** The half-precision pattern nearest to a number; ties go to the even one, too large a number to infinity. */
export function toHalf(value: number): number {
  scratch[0] = value;
  const bits = scratchBits[0]!;
  const sign = (bits >>> 16) & 0x8000;
  const magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000) return sign | 0x7e00;
  if (magnitude >= 0x477ff000) return sign | 0x7c00;
  if (magnitude < 0x38800000) return sign | roundHalfEven(Math.abs(value) * 2 ** 24);
  const rounded = magnitude + 0xfff + ((magnitude >>> 13) & 1);
  return sign | ((rounded - 0x38000000) >>> 13);
}

/** Integer nearest to a non-negative number, ties to even. */
function roundHalfEven(value: number): number {
  const floor = Math.floor(value);
  const rest = value - floor;
  if (rest !== 0.5) return Math.round(value);
  return floor + (floor & 1);
}

/**
 * Round floats to a block format as ggml's reference quantiser does. `floats` holds whole blocks. Only the formats
 * that tito writes itself are here.
 */
export function quantize({ name }: BlockFormat, floats: Float32Array): Uint8Array {
  if (name === F32.name) return new Uint8Array(floats.slice().buffer);
  if (name === Q4_0.name) return blockwise(floats, Q4_0.bytes, writeQ4_0);
  if (name === Q4_1.name) return blockwise(floats, Q4_1.bytes, writeQ4_1);
  if (name === Q8_0.name) return blockwise(floats, Q8_0.bytes, writeQ8_0);
  throw new RangeError(`tito doesn't write ${name}`);
}

type BlockWriter = (weights: Float32Array, view: DataView, at: number) => void;

function blockwise(floats: Float32Array, bytes: number, write: BlockWriter): Uint8Array {
  const blocks = floats.length / 32;
  const out = new Uint8Array(blocks * bytes);
  const view = new DataView(out.buffer);
  for (let block = 0; block < blocks; block++) {
    write(floats.subarray(32 * block, 32 * block + 32), view, block * bytes);
  }
  return out;
}

/** The weight of largest magnitude becomes code 0, so the scale carries its sign. */
function writeQ4_0(weights: Float32Array, view: DataView, at: number): void {
  const extreme = weights.reduce((best, weight) => (Math.abs(weight) > Math.abs(best) ? weight : best), 0);
  const d = extreme / -8;
  view.setUint16(at, toHalf(d), true);
  writeNibbles(weights, view, at + 2, (weight) => (d === 0 ? 8 : Math.floor(weight / d + 8.5)));
}

function writeQ4_1(weights: Float32Array, view: DataView, at: number): void {
  const minimum = Math.min(...weights);
  const d = (Math.max(...weights) - minimum) / 15;
  view.setUint16(at, toHalf(d), true);
  view.setUint16(at + 2, toHalf(minimum), true);
  writeNibbles(weights, view, at + 4, (weight) => (d === 0 ? 0 : Math.floor((weight - minimum) / d + 0.5)));
}

function writeNibbles(
  weights: Float32Array,
  view: DataView,
  at: number,
  code: (weight: number) => number,
): void {
  const clamped = (weight: number): number => Math.min(15, Math.max(0, code(weight)));
  for (let j = 0; j < 16; j++) view.setUint8(at + j, clamped(weights[j]!) | (clamped(weights[j + 16]!) << 4));
}

function writeQ8_0(weights: Float32Array, view: DataView, at: number): void {
  const d = weights.reduce((most, weight) => Math.max(most, Math.abs(weight)), 0) / 127;
  view.setUint16(at, toHalf(d), true);
  weights.forEach((weight, j) => {
    const scaled = d === 0 ? 0 : weight / d;
    view.setInt8(at + 2 + j, Math.sign(scaled) * Math.round(Math.abs(scaled)));
  });
}
