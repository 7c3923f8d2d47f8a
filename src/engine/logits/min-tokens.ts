import type { SamplerState } from '../sampler-state.js';

/**
 * `min_tokens`: no EOS (not even an ignored one) and no stop id before that many output tokens, unless nothing
 * else is left, as when a grammar is complete.
 */
export function holdBackEnd(logits: Float32Array, { params, output, endIds }: SamplerState): void {
  if (output.length >= params.minTokens) return;
  const held = Array.from(endIds, (id) => [id, logits[id]!] as const);
  for (const id of endIds) logits[id] = Number.NEGATIVE_INFINITY;
  if (logits.some((logit) => logit > Number.NEGATIVE_INFINITY)) return;
  for (const [id, logit] of held) logits[id] = logit;
}
