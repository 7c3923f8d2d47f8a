/**
 * What the graph says of one position: views that the next step of the same kind overwrites. The logits are raw;
 * everything else is derived from them.
 */
export interface ScoredRow {
  /** [vocab] */
  logits: Float32Array;
  /** [vocab], natural logarithm, temperature 1. */
  logprobs: Float32Array;
  /** [vocab], at the row's temperature. */
  probabilities: Float32Array;
  /** The highest logits, best first, and their ids; equal logits rank by id. */
  topLogits: Float32Array;
  topIds: Int32Array;
}

export interface ScoredRows {
  count: number;
  row(index: number): ScoredRow;
}
