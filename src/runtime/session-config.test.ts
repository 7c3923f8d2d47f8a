import { describe, expect, it } from 'vitest';
import { hasExactBytes } from './cpu-flags.js';
import { sessionConfig } from './session-config.js';

describe('sessionConfig', () => {
  it.each([
    ['AVX2 alone', ['avx2'], '1'],
    ['AVX-512 without products of bytes', ['avx2', 'avx512bw', 'avx512vl'], '1'],
    ['AVX2 with products of bytes', ['avx2', 'avx_vnni'], '0'],
    ['AVX-512 with products of bytes', ['avx2', 'avx512_vnni'], '0'],
    ['unknown instructions', [], '1'],
  ])('makes signed weights unsigned where sums could overflow: %s', (_, flags, expected) => {
    expect(sessionConfig(hasExactBytes(new Set(flags))).x64quantprecision).toBe(expected);
  });
});
