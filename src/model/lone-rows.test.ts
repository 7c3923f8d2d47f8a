import { describe, expect, it } from 'vitest';
import { loneRowsAreLikeOthers } from './lone-rows.js';

const cpuInfo = (...flags: string[]): string =>
  `processor\t: 0\nflags\t\t: fpu sse2 ${flags.join(' ')}\nbugs\t\t:\n`;

describe('loneRowsAreLikeOthers', () => {
  it('is true with the instructions of the kernels that were measured', () => {
    const flags = ['avx2', 'avx512dq', 'avx512bw', 'avx512vl', 'avx512_vnni'];
    expect(loneRowsAreLikeOthers(cpuInfo(...flags))).toBe(true);
    expect(loneRowsAreLikeOthers(cpuInfo(...flags.slice(1).reverse()))).toBe(true);
  });

  it.each([
    ['AVX2 alone', cpuInfo('avx2', 'fma')],
    ['AVX-512 without VNNI', cpuInfo('avx2', 'avx512dq', 'avx512bw', 'avx512vl')],
    ['another architecture', 'processor\t: 0\nFeatures\t: fp asimd\n'],
    ['no such file', ''],
  ])('is false with %s', (_, text) => {
    expect(loneRowsAreLikeOthers(text)).toBe(false);
  });
});
