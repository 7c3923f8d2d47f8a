import { describe, expect, it } from 'vitest';
import fixtures from './block-fixtures.json' with { type: 'json' };
import { BLOCK_FORMATS } from './block-formats.js';
import { emptyPacked, isPackable, type PackedMatrix, packInto } from './pack-blocks.js';

/** w = scale · (code − 2^(bits − 1)) + offset, straight from the layout's description. */
function unpack({ bits, blockSize, codes, scales, offsets }: PackedMatrix): Float64Array {
  const weights = new Float64Array(scales.length * blockSize);
  return weights.map((_, i) => {
    const code = bits === 8 ? codes[i]! : (codes[i >> 1]! >> (4 * (i & 1))) & 15;
    const block = Math.floor(i / blockSize);
    return scales[block]! * (code - 2 ** (bits - 1)) + (offsets?.[block] ?? 0);
  });
}

const packable = BLOCK_FORMATS.filter(isPackable);

describe('packing', () => {
  it.each(packable)('$name keeps every weight', (format) => {
    const stored = Buffer.from(fixtures[format.name as 'Q4_0'].blocks, 'base64');
    const count = (stored.length / format.bytes) * format.weights;
    const expected = new Float32Array(count);
    format.dequantize(stored, expected);
    const packed = emptyPacked(format, 1, count);
    packInto(packed, 0, format, stored);
    const largest = expected.reduce((most, weight) => Math.max(most, Math.abs(weight)), 0);
    unpack(packed).forEach((weight, i) => {
      expect(Math.abs(weight - expected[i]!), `weight ${i}`).toBeLessThan(1e-6 * largest);
    });
  });

  it.each(packable)('$name goes where it is told', (format) => {
    const stored = Buffer.from(fixtures[format.name as 'Q4_0'].blocks, 'base64');
    const count = (stored.length / format.bytes) * format.weights;
    const twice = emptyPacked(format, 2, count);
    const perMatrix = count / format.integers.group;
    packInto(twice, 0, format, stored);
    packInto(twice, perMatrix, format, stored);
    const weights = unpack(twice);
    expect(weights.slice(count)).toEqual(weights.slice(0, count));
    expect(weights.some((weight) => weight !== 0)).toBe(true);
  });

  it('is only for formats of blocks', () => {
    const others = BLOCK_FORMATS.filter((format) => !isPackable(format));
    expect(others.map(({ name }) => name)).toEqual(['F32', 'F16', 'BF16']);
    expect(packable.length).toBe(12);
  });
});
