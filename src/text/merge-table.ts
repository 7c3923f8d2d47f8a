/** Pairs of token ids that byte-pair encoding merges: an open-addressing hash table from pair to rank. */
export class MergeTable {
  readonly #mask: number;
  readonly #left: Int32Array;
  readonly #right: Int32Array;
  /** Rank + 1; 0 = free. */
  readonly #rank: Int32Array;
  readonly #merged: Int32Array;

  /** `merges`: [left, right, merged] ids in order of rank. A pair that comes twice keeps its last rank. */
  constructor(merges: ReadonlyArray<readonly [left: number, right: number, merged: number]>) {
    const size = 2 ** Math.ceil(Math.log2(Math.max(merges.length * 2, 16)));
    this.#mask = size - 1;
    this.#left = new Int32Array(size);
    this.#right = new Int32Array(size);
    this.#rank = new Int32Array(size);
    this.#merged = Int32Array.from(merges, ([, , merged]) => merged);
    for (const [rank, [left, right]] of merges.entries()) {
      const slot = this.#slot(left, right);
      this.#left[slot] = left;
      this.#right[slot] = right;
      this.#rank[slot] = rank + 1;
    }
  }

  /** The rank of a pair, lower merges first; -1 when it is not merged. */
  rank(left: number, right: number): number {
    return this.#rank[this.#slot(left, right)]! - 1;
  }

  /** The id that the merge of a rank gives. */
  merged(rank: number): number {
    return this.#merged[rank]!;
  }

  /** Where the pair is, or where it would go. */
  #slot(left: number, right: number): number {
    let slot = (Math.imul(left, 0x9e3779b1) ^ Math.imul(right, 0x85ebca6b)) >>> 0;
    slot = (slot ^ (slot >>> 15)) & this.#mask;
    while (this.#rank[slot] !== 0 && (this.#left[slot] !== left || this.#right[slot] !== right)) {
      slot = (slot + 1) & this.#mask;
    }
    return slot;
  }
}
