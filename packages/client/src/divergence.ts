/** Where text turned into ids again would have left the ids that the model saw. */
export interface Divergence {
  /** The first position that differs. */
  readonly at: number;
  /** Whether it lies in an answer: then the trainer would have seen ids that were never sampled. */
  readonly inAnswer: boolean;
  /** The answer it lies in or after, counted from 0; -1 before the first. */
  readonly turn: number;
  /** Up to 8 ids from there on. */
  readonly kept: readonly number[];
  readonly retokenized: readonly number[];
}

const SHOWN = 8;

/**
 * The first place where `retokenized` differs from `kept`. More ids behind the end of `kept` are no difference: they
 * close the last turn, which the model may have left open.
 */
export function firstDivergence(
  kept: readonly number[],
  retokenized: readonly number[],
  answers: readonly { start: number; end: number }[],
): Divergence | null {
  const at = kept.findIndex((id, position) => id !== retokenized[position]);
  if (at < 0) return null;
  return {
    at,
    inAnswer: answers.some(({ start, end }) => at >= start && at < end),
    turn: answers.findLastIndex(({ start }) => at >= start),
    kept: kept.slice(at, at + SHOWN),
    retokenized: retokenized.slice(at, at + SHOWN),
  };
}
