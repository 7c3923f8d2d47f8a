export interface StopStringOptions {
  stops: readonly string[];
  /** Keep the stop string in the text. */
  include: boolean;
  /** Stop strings that are complete by this many output tokens are not looked for. */
  minTokens: number;
}

/**
 * Looks for stop strings in text that grows token by token. Text that could still become a stop string is held
 * back: as many characters as the longest stop string less one (unless stop strings are kept).
 */
export class StopStrings {
  readonly #options: StopStringOptions;
  readonly #holdBack: number;
  readonly #longest: number;
  /** The end of the text so far: what is held back, and enough before it to find a stop string that began earlier. */
  #tail = '';
  #held = 0;
  #tokens = 0;

  constructor(options: StopStringOptions) {
    this.#options = options;
    this.#longest = Math.max(0, ...options.stops.map((stop) => stop.length));
    this.#holdBack = options.include ? 0 : Math.max(this.#longest - 1, 0);
  }

  /** Add one token's text. Returns what may be sent, and the stop string that it completed. */
  push(added: string): { text: string; matched: string | null } {
    this.#tokens++;
    const before = this.#tail.length;
    this.#tail += added;
    const match = this.#tokens > this.#options.minTokens ? this.#find(before) : null;
    const end = match?.end ?? this.#tail.length;
    const start = before - this.#held;
    const emitEnd = match ? end : Math.max(start, this.#safeEnd(end - this.#holdBack));
    const text = this.#tail.slice(start, emitEnd);
    this.#held = this.#tail.length - emitEnd;
    this.#tail = this.#tail.slice(-(this.#longest + this.#held) || undefined);
    if (match) this.#held = 0;
    return { text, matched: match?.stop ?? null };
  }

  /** The output ended without a stop string: send what was held back. */
  end(): string {
    const text = this.#held === 0 ? '' : this.#tail.slice(-this.#held);
    this.#held = 0;
    return text;
  }

  /** The stop string that is complete first, looking only for ones that end in the new text; ties go by list order. */
  #find(before: number): { stop: string; end: number } | null {
    let best: { stop: string; end: number } | null = null;
    let bestComplete = Number.POSITIVE_INFINITY;
    for (const stop of this.#options.stops) {
      const at = this.#tail.indexOf(stop, Math.max(0, before + 1 - stop.length));
      if (at < 0 || at + stop.length >= bestComplete) continue;
      bestComplete = at + stop.length;
      best = { stop, end: this.#options.include ? bestComplete : at };
    }
    return best;
  }

  /** Never cut a surrogate pair. */
  #safeEnd(end: number): number {
    const code = this.#tail.charCodeAt(end - 1);
    return code >= 0xd800 && code <= 0xdbff ? end - 1 : end;
  }
}
