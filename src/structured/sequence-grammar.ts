import type { GrammarMatcher } from '@mlc-ai/web-xgrammar';

/** Follows one output through its grammar. */
export class SequenceGrammar {
  readonly #matcher: GrammarMatcher;
  #mask: Promise<Int32Array> | null = null;

  constructor(matcher: GrammarMatcher) {
    this.#matcher = matcher;
  }

  /**
   * The bitmask of ids that may come next (bit `id % 32` of word `id / 32`); null once the grammar has ended, when
   * anything may. Ask for it while the model computes: it is kept until the next token is accepted.
   */
  mask(): Promise<Int32Array> | null {
    if (this.#matcher.isTerminated()) return null;
    this.#mask ??= this.#matcher.getNextTokenBitmask();
    return this.#mask;
  }

  /** Go on with the token that was sampled. */
  accept(id: number): void {
    this.#mask = null;
    if (!this.#matcher.isTerminated()) this.#matcher.acceptToken(id);
  }

  dispose(): void {
    this.#matcher.dispose();
  }
}
