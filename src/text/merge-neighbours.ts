import { MergeQueue } from './merge-queue.js';

/** What is merged; symbols are known by their position in the text that they come from. */
export interface Neighbours {
  /** How early two neighbours merge, lower first; -1 = never. */
  rank(left: number, right: number): number;
  /** The left one takes the right one in. */
  merge(left: number, right: number, rank: number): void;
}

/**
 * Merge neighbours of `count` symbols, lowest rank first and leftmost among equals, until none is left that merges, in
 * n · log n steps. Returns for each symbol that is left the position of the next one; -1 = the last.
 */
export function mergeNeighbours(count: number, { rank, merge }: Neighbours): Int32Array {
  const next = Int32Array.from({ length: count }, (_, i) => (i + 1 < count ? i + 1 : -1));
  const previous = Int32Array.from({ length: count }, (_, i) => i - 1);
  /** The rank of the pair that starts here; an entry of the queue with another rank is stale. */
  const ranks = new Int32Array(count).fill(-1);
  const queue = new MergeQueue(3 * count);
  const consider = (at: number): void => {
    const right = next[at]!;
    const found = right < 0 ? -1 : rank(at, right);
    ranks[at] = found;
    if (found >= 0) queue.push(found, at);
  };
  for (let at = 0; at < count - 1; at++) consider(at);
  for (let entry = queue.pop(); entry; entry = queue.pop()) {
    const { position } = entry;
    if (ranks[position] !== entry.rank) continue;
    const gone = next[position]!;
    merge(position, gone, entry.rank);
    ranks[gone] = -1;
    next[position] = next[gone]!;
    if (next[gone]! >= 0) previous[next[gone]!] = position;
    consider(position);
    if (previous[position]! >= 0) consider(previous[position]!);
  }
  return next;
}
