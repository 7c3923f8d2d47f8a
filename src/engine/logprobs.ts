import type { PositionLogprobs } from './index.js';

/** Scores of one position over the vocabulary, and its ranking as far as it is known. */
export interface RankedScores {
  /** [vocab] */
  scores: Float32Array;
  /** Ids of the `count` highest scores, best first. */
  top(count: number): ArrayLike<number>;
}

/**
 * The token and the `count` best candidates: the token first, then the others by rank, so `count` entries when it
 * is among the best and `count + 1` when not.
 */
export function describeTop({ scores, top }: RankedScores, token: number, count: number): PositionLogprobs {
  const best = top(Math.min(count, scores.length));
  const ids = [token];
  const ranks = [rankOf(scores, token)];
  for (let i = 0; i < best.length; i++) {
    if (best[i] === token) continue;
    ids.push(best[i]!);
    ranks.push(i + 1);
  }
  return collect(scores, ids, ranks);
}

/** The token and the listed ids beside it; a listed id's rank is its place in the list, from 1. */
export function describeListed(
  scores: Float32Array,
  token: number,
  listed: readonly number[],
): PositionLogprobs {
  const ids = [token];
  const ranks = [rankOf(scores, token)];
  listed.forEach((id, i) => {
    if (id === token) return;
    ids.push(id);
    ranks.push(i + 1);
  });
  return collect(scores, ids, ranks);
}

/** 1 + the number of tokens that score higher; 0 when the score is NaN. */
export function rankOf(scores: Float32Array, token: number): number {
  const score = scores[token]!;
  if (Number.isNaN(score)) return 0;
  let higher = 0;
  for (let i = 0; i < scores.length; i++) if (scores[i]! > score) higher++;
  return higher + 1;
}

function collect(scores: Float32Array, ids: readonly number[], ranks: readonly number[]): PositionLogprobs {
  return {
    ids: Int32Array.from(ids),
    values: Float32Array.from(ids, (id) => scores[id]!),
    ranks: Int32Array.from(ranks),
  };
}
