import { cpuFlags, hasExactBytes } from '../runtime/cpu-flags.js';
import type { ModelDtype } from './index.js';

/** How a graph is written for a CPU, so that its kernels are exact and start quickly. */
export interface KernelNeeds {
  /**
   * The fewest rows that a 4-bit kernel may see, if a row is to get the same bits alone as with others. ONNX Runtime has a
   * kernel of its own for single rows on CPUs with AVX2 only, which adds in another order.
   */
  fewestRows: 1 | 2;
  /**
   * How bytes of matrices are stored. Where products of signed bytes may overflow, ONNX Runtime makes them unsigned at
   * each start (`session.x64quantprecision`), which takes longer than all the rest of it.
   */
  bytes: 'int8' | 'uint8';
}

/** Instructions of the 4-bit kernels that were seen to give a row the same bits alone and in company. */
const STEADY_ROWS = ['avx512_vnni', 'avx512bw', 'avx512dq', 'avx512vl'];

/** What this CPU's kernels need; the careful choice where they aren't known. */
export function kernelNeeds(flags: ReadonlySet<string> = cpuFlags()): KernelNeeds {
  const isX86 = flags.size > 0;
  return {
    fewestRows: STEADY_ROWS.every((flag) => flags.has(flag)) ? 1 : 2,
    bytes: isX86 && !hasExactBytes(flags) ? 'uint8' : 'int8',
  };
}

/** What tells graphs of one model and precision apart that are written for different CPUs; empty for the plain one. */
export function variantOf(dtype: ModelDtype, { fewestRows, bytes }: KernelNeeds): string {
  if (dtype === 'int4' && fewestRows === 2) return '-pairs';
  return dtype === 'int8' && bytes === 'uint8' ? '-unsigned' : '';
}
