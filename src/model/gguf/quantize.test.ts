import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import fixtures from './block-fixtures.json' with { type: 'json' };
import type { BlockFormat } from './block-format.js';
import { F32 } from './block-formats.js';
import { halfAt } from './half.js';
import { quantize, toHalf } from './quantize.js';
import { Q4_0, Q4_1, Q8_0 } from './small-blocks.js';

const bytesOf = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'base64'));
const fromHalf = (bits: number): number => halfAt(Uint8Array.of(bits & 255, bits >> 8), 0);

describe('quantize', () => {
  it.each([F32, Q4_0, Q4_1, Q8_0])('$name writes the bytes of the reference quantiser', (format) => {
    const { source, blocks } = fixtures[format.name as 'Q4_0'];
    const got = quantize(format, new Float32Array(bytesOf(source).buffer));
    expect(Buffer.from(got).toString('base64')).toBe(blocks);
  });

  const weights = fc.float32Array({ minLength: 32, maxLength: 32, min: -4, max: 4, noNaN: true });

  /** Half a step, and what rounding scale and minimum to half precision costs. */
  it.each([
    [Q4_0, (span: number) => span / 8],
    [Q4_1, (span: number) => span / 15],
    [Q8_0, (span: number) => span / 200],
  ] as Array<[BlockFormat, (span: number) => number]>)(
    '$name is never off by more than a step',
    (format, step) => {
      fc.assert(
        fc.property(weights, (block) => {
          const back = new Float32Array(32);
          format.dequantize(quantize(format, block), back);
          const span = 2 * block.reduce((most, weight) => Math.max(most, Math.abs(weight)), 0);
          block.forEach((weight, i) => {
            expect(Math.abs(back[i]! - weight)).toBeLessThanOrEqual(step(span) + 0.002 * span + 4e-6);
          });
        }),
      );
    },
  );

  it('refuses formats that tito only reads', () => {
    expect(() => quantize({ ...F32, name: 'Q6_K' }, new Float32Array(256))).toThrow(/Q6_K/);
  });
});

describe('toHalf', () => {
  it('gives every half-precision number back', () => {
    for (let bits = 0; bits < 65536; bits++) {
      if (Number.isNaN(fromHalf(bits))) continue;
      expect(toHalf(fromHalf(bits))).toBe(bits);
    }
    expect(Number.isNaN(fromHalf(toHalf(Number.NaN)))).toBe(true);
  });

  it('rounds to the nearest', () => {
    fc.assert(
      fc.property(fc.float({ min: -65504, max: 65504, noNaN: true }), (value) => {
        const bits = toHalf(value);
        const error = Math.abs(fromHalf(bits) - value);
        for (const neighbour of [bits - 1, bits + 1]) {
          const other = fromHalf(neighbour & 0xffff);
          if (Number.isFinite(other)) expect(error).toBeLessThanOrEqual(Math.abs(other - value));
        }
      }),
    );
  });

  it('sends what is too large to infinity', () => {
    expect(toHalf(65519)).toBe(0x7bff);
    expect(toHalf(65520)).toBe(0x7c00);
    expect(toHalf(-1e9)).toBe(0xfc00);
  });
});
