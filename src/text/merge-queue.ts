/** Positions are below this, so that rank and position fit one exact double. */
const POSITIONS = 2 ** 28;

/** A binary heap of merges to do, lowest rank first, then leftmost. */
export class MergeQueue {
  /** rank · POSITIONS + position. */
  readonly #heap: Float64Array;
  #size = 0;

  constructor(capacity: number) {
    this.#heap = new Float64Array(capacity);
  }

  push(rank: number, position: number): void {
    const heap = this.#heap;
    const key = rank * POSITIONS + position;
    let at = this.#size++;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (heap[parent]! <= key) break;
      heap[at] = heap[parent]!;
      at = parent;
    }
    heap[at] = key;
  }

  /** Null when nothing is left. */
  pop(): { rank: number; position: number } | null {
    if (this.#size === 0) return null;
    const key = this.#heap[0]!;
    this.#sink(this.#heap[--this.#size]!);
    const rank = Math.floor(key / POSITIONS);
    return { rank, position: key - rank * POSITIONS };
  }

  /** Put a key in the root's place and let it sink. */
  #sink(key: number): void {
    const heap = this.#heap;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= this.#size) break;
      if (child + 1 < this.#size && heap[child + 1]! < heap[child]!) child++;
      if (heap[child]! >= key) break;
      heap[at] = heap[child]!;
      at = child;
    }
    heap[at] = key;
  }
}
