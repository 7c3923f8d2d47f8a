import type { SamplerState } from '../sampler-state.js';

/** `logit_bias`: added to the logits of the listed ids. */
export function addBias(logits: Float32Array, { params }: SamplerState): void {
  for (const [id, bias] of params.logitBias) logits[id]! += bias;
}
