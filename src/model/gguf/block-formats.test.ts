import { describe, expect, it } from 'vitest';
import fixtures from './block-fixtures.json' with { type: 'json' };
import { BLOCK_FORMATS, blockFormat } from './block-formats.js';
import { halfAt } from './half.js';

const floatsOf = (text: string): Float32Array => {
  const bytes = new Uint8Array(Buffer.from(text, 'base64'));
  return new Float32Array(bytes.buffer);
};

describe('dequantize', () => {
  it.each(BLOCK_FORMATS.map((format) => [format.name, format] as const))(
    '%s gives the weights of the fixtures',
    (name, format) => {
      const { blocks, weights } = fixtures[name as keyof typeof fixtures];
      const expected = floatsOf(weights);
      const got = new Float32Array(expected.length);
      format.dequantize(Buffer.from(blocks, 'base64'), got);
      expected.forEach((weight, i) => {
        expect(Math.abs(got[i]! - weight), `weight ${i}`).toBeLessThanOrEqual(
          2e-6 * Math.max(1, Math.abs(weight)),
        );
      });
      expect(expected.some((weight) => weight !== 0)).toBe(true);
    },
  );

  it('reads blocks that do not begin at an even address', () => {
    const { blocks, weights } = fixtures.Q4_1;
    const shifted = Buffer.concat([Buffer.of(7), Buffer.from(blocks, 'base64')]).subarray(1);
    const expected = floatsOf(weights);
    const got = new Float32Array(expected.length);
    blockFormat(3)!.dequantize(shifted, got);
    expect(got).toEqual(expected);
  });
});

describe('halfAt', () => {
  it.each([
    [0x0000, 0],
    [0x0001, 2 ** -24],
    [0x03ff, 1023 * 2 ** -24],
    [0x0400, 2 ** -14],
    [0x3c00, 1],
    [0xc000, -2],
    [0x7bff, 65504],
    [0xfc00, Number.NEGATIVE_INFINITY],
    [0x7e00, Number.NaN],
  ])('%i is %d', (bits, value) => {
    expect(halfAt(Uint8Array.of(0xff, bits & 255, bits >> 8), 1)).toBe(value);
  });
});

describe('blockFormat', () => {
  it('knows no other formats', () => {
    expect(blockFormat(16)).toBeNull();
    expect(BLOCK_FORMATS.map((format) => blockFormat(format.type))).toEqual(BLOCK_FORMATS);
  });
});
