import type { Filters } from './distribution.js';

export const hasFilters = ({ topK, topP, minP }: Filters): boolean => topK > 0 || topP < 1 || minP > 0;

/**
 * How many of the likeliest tokens survive min-p, then top-k (with ties), then top-p over what those left; at
 * least one. `head` holds the highest probabilities, best first. Null when it is too short to tell.
 */
export function survivors(
  head: Float64Array,
  vocabSize: number,
  { topK, topP, minP }: Filters,
): number | null {
  let kept = head.length;
  /** Nothing beyond the head can survive. */
  let closed = head.length === vocabSize;
  const cut = (count: number): void => {
    if (count >= kept) return;
    kept = count;
    closed = true;
  };
  if (minP > 0) cut(countAtLeast(head, Math.fround(head[0]! * minP)));
  if (topK > 0) cut(countWithTies(head, kept, topK));
  if (topP < 1) {
    if (!closed && (minP > 0 || topK > 0)) return null;
    cut(countToMass(head, kept, topP * (closed ? sumOf(head, kept) : 1)));
  }
  return closed ? Math.max(kept, 1) : null;
}

function countAtLeast(head: Float64Array, threshold: number): number {
  let count = 0;
  while (count < head.length && head[count]! >= threshold) count++;
  return count;
}

function countWithTies(head: Float64Array, most: number, k: number): number {
  let count = Math.min(k, most);
  while (count < most && head[count] === head[k - 1]) count++;
  return count;
}

/** The fewest of the first `most` whose sum reaches `mass`, or else `most`. */
export function countToMass(head: Float64Array, most: number, mass: number): number {
  let sum = 0;
  for (let count = 0; count < most; count++) {
    if (sum >= mass) return count;
    sum += head[count]!;
  }
  return most;
}

export function sumOf(head: Float64Array, count: number): number {
  let sum = 0;
  for (let i = 0; i < count; i++) sum += head[i]!;
  return sum;
}
