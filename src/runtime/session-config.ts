import { hasExactBytes } from './cpu-flags.js';

/**
 * Entries of onnxruntime_session_options_config_keys.h. Measured: spinning stopped at the end of a run keeps the speed
 * of spinning with an idle CPU between steps, while forbidding it costs 40 % a step. `x64quantprecision` makes signed
 * weights unsigned, which is exact on every x86 CPU, but hides them from the kernels of those that need no such care:
 * with AMX those are nine times as fast.
 */
export function sessionConfig(exactBytes = hasExactBytes()): Readonly<Record<string, '0' | '1'>> {
  return { force_spinning_stop: '1', x64quantprecision: exactBytes ? '0' : '1' };
}
