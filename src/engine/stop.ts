import type { FinishReason } from './index.js';
import { isRepeating } from './repetition.js';
import type { SamplerState } from './sampler-state.js';

export interface Stop {
  reason: FinishReason;
  stopReason: number | string | null;
}

/**
 * Whether a sequence ends after its last output token: primary EOS, then stop ids (further EOS ids of the model
 * count as such), then length, then repetition. `length` counts prompt and output.
 */
export function finishOf(state: SamplerState, length: number, maxModelLen: number): Stop | null {
  const { params, output, eosIds } = state;
  const last = output.at(-1)!;
  if (!params.ignoreEos && last === eosIds[0]) return { reason: 'stop', stopReason: null };
  const stops = params.stopTokenIds.includes(last) || (!params.ignoreEos && eosIds.includes(last));
  if (stops) return { reason: 'stop', stopReason: last };
  if (output.length >= params.maxTokens || length >= maxModelLen)
    return { reason: 'length', stopReason: null };
  const { repetitionDetection } = params;
  if (output.length >= params.minTokens && repetitionDetection && isRepeating(output, repetitionDetection)) {
    return { reason: 'repetition', stopReason: 'repetition_detected' };
  }
  return null;
}
