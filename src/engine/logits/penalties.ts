import type { SamplerState } from '../sampler-state.js';

/**
 * `repetition_penalty` divides positive and multiplies negative logits of ids seen in prompt or output (CTRL,
 * arXiv 1909.05858); then `frequency_penalty` · count and `presence_penalty` are taken off ids seen in the output.
 */
export function penalize(logits: Float32Array, state: SamplerState): void {
  const { repetitionPenalty, frequencyPenalty, presencePenalty } = state.params;
  if (repetitionPenalty !== 1) {
    for (const id of state.promptIds) repel(logits, id, repetitionPenalty);
    for (const id of state.outputCounts.keys()) {
      if (!state.promptIds.has(id)) repel(logits, id, repetitionPenalty);
    }
  }
  if (frequencyPenalty === 0 && presencePenalty === 0) return;
  for (const [id, count] of state.outputCounts) logits[id]! -= frequencyPenalty * count + presencePenalty;
}

function repel(logits: Float32Array, id: number, penalty: number): void {
  const logit = logits[id]!;
  logits[id] = logit > 0 ? logit / penalty : logit * penalty;
}
