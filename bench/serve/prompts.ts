/** Ids that every model has, none of them special in any. */
const FIRST_ID = 100;
const IDS = 20_000;

/**
 * Prompts that no server has seen before, the same ones for all: prompt `i` of a stream of prompts differs from every
 * other in its first tokens, so that no cache of prefixes helps.
 */
export class Prompts {
  #next: number;

  constructor(
    /** Streams of prompts with different seeds share none. */
    seed: number,
    private readonly length: number,
  ) {
    this.#next = seed * 10_007;
  }

  next(): number[] {
    let state = (this.#next++ * 2_654_435_761 + 12_345) >>> 0;
    return Array.from({ length: this.length }, () => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return FIRST_ID + ((state >>> 8) % IDS);
    });
  }
}
