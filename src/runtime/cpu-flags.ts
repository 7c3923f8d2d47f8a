import { readFileSync } from 'node:fs';

/** Each multiplies bytes and adds the products without an overflow. */
const EXACT_BYTES = ['avx_vnni', 'avx512_vnni'];

/** The instruction sets of this x86 CPU as Linux names them; empty elsewhere. `cpuInfo` is /proc/cpuinfo. */
export function cpuFlags(cpuInfo: string = readCpuInfo()): ReadonlySet<string> {
  return new Set(/^flags\s*:(.*)$/m.exec(cpuInfo)?.[1]?.trim().split(/\s+/));
}

/** Whether integer kernels are known to be exact with signed bytes. Without VNNI, sums of two products may overflow. */
export function hasExactBytes(flags: ReadonlySet<string> = cpuFlags()): boolean {
  return EXACT_BYTES.some((flag) => flags.has(flag));
}

function readCpuInfo(): string {
  try {
    return readFileSync('/proc/cpuinfo', 'utf8');
  } catch {
    return '';
  }
}
