import { TOP_COUNT } from '../../model/index.js';
import type { ScoredRow } from '../scored-row.js';

/** What the graph would say of these logits at a temperature, by plain loops in double precision. */
export function scoreRow(values: ArrayLike<number>, temperature = 1): ScoredRow {
  const logits = Float32Array.from(values);
  const ids = Int32Array.from(logits.keys()).sort((a, b) => logits[b]! - logits[a]! || a - b);
  const topIds = ids.slice(0, TOP_COUNT);
  return {
    logits,
    logprobs: Float32Array.from(softmax(logits, 1), Math.log),
    probabilities: Float32Array.from(softmax(logits, temperature)),
    topIds,
    topLogits: Float32Array.from(topIds, (id) => logits[id]!),
  };
}

/** Probabilities at a temperature. */
export function softmax(logits: ArrayLike<number>, temperature: number): number[] {
  const values = Array.from(logits);
  const most = values.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
  const weights = values.map((value) => Math.exp((value - most) / temperature));
  const total = weights.reduce((a, b) => a + b, 0);
  return weights.map((weight) => weight / total);
}
