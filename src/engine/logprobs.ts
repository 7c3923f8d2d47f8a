import type { PositionLogprobs } from './index.js';
import { topIndices } from './select.js';

/** Scores of one position over the vocabulary, and its ranking as far as it is known. */
export interface RankedScores {
  /** [vocab] */
  scores: Float32Array;
  /** The best ids, best first; null = not ranked yet. */
  head: Int32Array | null;
}

/**
 * The token and the `count` best candidates (all, when there are fewer): the token first, then the others by rank,
 * so `count` entries when it is among the best and `count + 1` when not. Equal scores share a rank.
 */
export function describeTop(ranked: RankedScores, token: number, count: number): PositionLogprobs {
  const { scores } = ranked;
  const best = topOf(ranked, Math.min(count, scores.length));
  const ids = [token];
  const ranks = [0];
  let rank = 0;
  for (let i = 0; i < best.length; i++) {
    const id = best[i]!;
    if (i === 0 || scores[id] !== scores[best[i - 1]!]) rank = i + 1;
    if (id === token) {
      ranks[0] = rank;
      continue;
    }
    ids.push(id);
    ranks.push(Number.isNaN(scores[id]) ? 0 : rank);
  }
  if (ranks[0] === 0) ranks[0] = rankOf(scores, token);
  return collect(scores, ids, ranks);
}

/** The token and the listed ids beside it; a listed id's rank is its place in the list, from 1. */
export function describeListed(
  scores: Float32Array,
  token: number,
  listed: readonly number[],
): PositionLogprobs {
  const places = new Map([[token, rankOf(scores, token)]]);
  listed.forEach((id, i) => {
    places.set(id, i + 1);
  });
  return collect(scores, [...places.keys()], [...places.values()]);
}

/** 1 + the number of tokens that score higher; 0 when the score is NaN. */
export function rankOf(scores: Float32Array, token: number): number {
  const score = scores[token]!;
  if (Number.isNaN(score)) return 0;
  let higher = 0;
  for (let i = 0; i < scores.length; i++) if (scores[i]! > score) higher++;
  return higher + 1;
}

function topOf({ scores, head }: RankedScores, count: number): Int32Array {
  return head && count <= head.length ? head.subarray(0, count) : topIndices(scores, count);
}

function collect(scores: Float32Array, ids: readonly number[], ranks: readonly number[]): PositionLogprobs {
  return {
    ids: Int32Array.from(ids),
    values: Float32Array.from(ids, (id) => scores[id]!),
    ranks: Int32Array.from(ranks),
  };
}
