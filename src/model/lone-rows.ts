import { readFileSync } from 'node:fs';

/** Instructions of the 4-bit kernels that were seen to give a row the same bits alone and in company. */
const NEEDED = ['avx512_vnni', 'avx512bw', 'avx512dq', 'avx512vl'];

/**
 * Whether this CPU's 4-bit kernels give a row the same bits alone as with others. ONNX Runtime has a kernel of its own
 * for single rows on CPUs with AVX2 only, which adds in another order; where it isn't known, the answer is no.
 * `cpuInfo` is Linux' /proc/cpuinfo.
 */
export function loneRowsAreLikeOthers(cpuInfo: string = readCpuInfo()): boolean {
  const flags = new Set(/^flags\s*:(.*)$/m.exec(cpuInfo)?.[1]?.trim().split(/\s+/));
  return NEEDED.every((flag) => flags.has(flag));
}

function readCpuInfo(): string {
  try {
    return readFileSync('/proc/cpuinfo', 'utf8');
  } catch {
    return '';
  }
}
