import type { SamplerState } from '../sampler-state.js';

/** `allowed_token_ids`: every other id is ruled out. */
export function allowTokens(logits: Float32Array, { params }: SamplerState): void {
  if (params.allowedTokenIds === null) return;
  const kept = params.allowedTokenIds.map((id) => [id, logits[id]!] as const);
  logits.fill(Number.NEGATIVE_INFINITY);
  for (const [id, logit] of kept) logits[id] = logit;
}
