import type { SamplingParams } from './index.js';

/** The likeliest tokens, best first, with weights in proportion to their probabilities. */
export interface Head {
  ids: ArrayLike<number>;
  weights: ArrayLike<number>;
  length: number;
}

type Filters = Pick<SamplingParams, 'topK' | 'topP' | 'minP'>;

export const hasFilters = ({ topK, topP, minP }: Filters): boolean => topK > 0 || topP < 1 || minP > 0;

/**
 * How many of the likeliest tokens survive min-p, then top-k (with ties), then top-p over what those left; at
 * least one. `total` is the sum of the weights of the whole vocabulary. Null when the head is too short to tell.
 */
export function survivors(
  head: Head,
  total: number,
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
  if (minP > 0) cut(countAtLeast(head, head.weights[0]! * minP));
  if (topK > 0) cut(countWithTies(head, kept, topK));
  if (topP < 1) {
    if (!closed && (minP > 0 || topK > 0)) return null;
    cut(countOfMass(head, kept, topP * (closed ? sumOf(head.weights, kept) : total)));
  }
  return closed ? Math.max(kept, 1) : null;
}

function countAtLeast({ weights, length }: Head, threshold: number): number {
  let count = 0;
  while (count < length && weights[count]! >= threshold) count++;
  return count;
}

function countWithTies({ weights }: Head, most: number, k: number): number {
  let count = Math.min(k, most);
  while (count < most && weights[count] === weights[k - 1]) count++;
  return count;
}

/** The fewest of the likeliest whose weights reach `mass`. */
export function countOfMass({ weights }: Pick<Head, 'weights'>, most: number, mass: number): number {
  let sum = 0;
  for (let count = 0; count < most; count++) {
    if (sum >= mass) return count;
    sum += weights[count]!;
  }
  return most;
}

export function sumOf(weights: ArrayLike<number>, count: number): number {
  let sum = 0;
  for (let i = 0; i < count; i++) sum += weights[i]!;
  return sum;
}

/** The index that a cumulative weight of `target` falls on; the last one when rounding leaves none. */
export function indexAt(weights: ArrayLike<number>, count: number, target: number): number {
  let sum = 0;
  for (let i = 0; i < count; i++) {
    sum += weights[i]!;
    if (target < sum) return i;
  }
  return count - 1;
}
