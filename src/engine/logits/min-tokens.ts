import type { SamplerState } from '../sampler-state.js';

/** `min_tokens`: no EOS (not even an ignored one) and no stop id before that many output tokens. */
export function holdBackEnd(logits: Float32Array, { params, output, endIds }: SamplerState): void {
  if (output.length >= params.minTokens) return;
  for (const id of endIds) logits[id] = Number.NEGATIVE_INFINITY;
}
