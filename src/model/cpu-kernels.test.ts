import { describe, expect, it } from 'vitest';
import { cpuFlags } from '../runtime/cpu-flags.js';
import { kernelNeeds, variantOf } from './cpu-kernels.js';

const cpuInfo = (...flags: string[]): string =>
  `processor\t: 0\nflags\t\t: fpu sse2 ${flags.join(' ')}\nbugs\t\t:\n`;

describe('kernelNeeds', () => {
  it('is the plain graph with the instructions of the kernels that were measured', () => {
    const flags = ['avx2', 'avx512dq', 'avx512bw', 'avx512vl', 'avx512_vnni'];
    expect(kernelNeeds(cpuFlags(cpuInfo(...flags)))).toEqual({ fewestRows: 1, bytes: 'int8' });
    expect(kernelNeeds(cpuFlags(cpuInfo(...flags.slice(1).reverse())))).toEqual({
      fewestRows: 1,
      bytes: 'int8',
    });
  });

  it.each([
    ['AVX2 alone', cpuInfo('avx2', 'fma'), { fewestRows: 2, bytes: 'uint8' }],
    ['AVX2 with products of bytes', cpuInfo('avx2', 'avx_vnni'), { fewestRows: 2, bytes: 'int8' }],
    [
      'AVX-512 without products of bytes',
      cpuInfo('avx2', 'avx512dq', 'avx512bw', 'avx512vl'),
      { fewestRows: 2, bytes: 'uint8' },
    ],
    ['another architecture', 'processor\t: 0\nFeatures\t: fp asimd\n', { fewestRows: 2, bytes: 'int8' }],
    ['no such file', '', { fewestRows: 2, bytes: 'int8' }],
  ])('is careful with %s', (_, text, needs) => {
    expect(kernelNeeds(cpuFlags(text))).toEqual(needs);
  });
});

describe('variantOf', () => {
  it('tells apart what is written differently, and nothing else', () => {
    const careful = { fewestRows: 2, bytes: 'uint8' } as const;
    const plain = { fewestRows: 1, bytes: 'int8' } as const;
    const variants = (needs: typeof careful | typeof plain): string[] =>
      (['float32', 'int8', 'int4'] as const).map((dtype) => variantOf(dtype, needs));
    expect(variants(plain)).toEqual(['', '', '']);
    expect(variants(careful)).toEqual(['', '-unsigned', '-pairs']);
  });
});
