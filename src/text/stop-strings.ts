export interface StopStringOptions {
  /** None of them empty. */
  stops: readonly string[];
  /** Keep the stop string in the text. */
  include: boolean;
  /** Stop strings that are complete within this many output tokens are not looked for. */
  minTokens: number;
}

/** Text that may be sent, and the stop string that ended the output. */
export interface StopStep {
  text: string;
  matched: string | null;
}

/**
 * Looks for stop strings in text that grows token by token. Text that could still become a stop string is held
 * back: as many characters as the longest stop string less one (unless stop strings are kept). Each step looks at
 * the new text and at what a stop string could have begun with, whatever the length of the output.
 */
export class StopStrings {
  readonly #options: StopStringOptions;
  /** In characters. */
  readonly #holdBack: number;
  /** UTF-16 units before new text in which a stop string could have begun. */
  readonly #reach: number;
  /** The end of the text: what is held back, and the reach before it. */
  #tail = '';
  /** How much of the tail is held back. */
  #held = 0;
  #tokens = 0;

  constructor(options: StopStringOptions) {
    this.#options = options;
    const longest = Math.max(0, ...options.stops.map((stop) => [...stop].length));
    this.#holdBack = options.include ? 0 : Math.max(longest - 1, 0);
    this.#reach = Math.max(0, ...options.stops.map((stop) => stop.length - 1));
  }

  /** Add one token's text, which may be empty. Nothing may follow a match. */
  push(added: string): StopStep {
    this.#tokens++;
    const before = this.#tail.length;
    const unsent = before - this.#held;
    this.#tail += added;
    const match = this.#tokens > this.#options.minTokens && added !== '' ? this.#find(before) : null;
    if (match) {
      this.#held = 0;
      return { text: this.#tail.slice(unsent, match.end), matched: match.stop };
    }
    const end = Math.max(unsent, this.#sendableEnd());
    const text = this.#tail.slice(unsent, end);
    this.#held = this.#tail.length - end;
    this.#tail = this.#tail.slice(Math.max(0, this.#tail.length - Math.max(this.#held, this.#reach)));
    return { text, matched: null };
  }

  /** The output ended without a stop string: what was held back. */
  end(): string {
    const text = this.#tail.slice(this.#tail.length - this.#held);
    this.#held = 0;
    return text;
  }

  /** The stop string that is complete first, among those that end in the new text; ties go by the list's order. */
  #find(before: number): { stop: string; end: number } | null {
    let best: { stop: string; end: number } | null = null;
    let completeAt = Number.POSITIVE_INFINITY;
    for (const stop of this.#options.stops) {
      const at = this.#tail.indexOf(stop, Math.max(0, before + 1 - stop.length));
      if (at < 0 || at + stop.length >= completeAt) continue;
      completeAt = at + stop.length;
      best = { stop, end: this.#options.include ? completeAt : at };
    }
    return best;
  }

  /** Where the tail ends when the characters to hold back are left out; never inside a surrogate pair. */
  #sendableEnd(): number {
    let end = this.#tail.length;
    for (let i = 0; i < this.#holdBack && end > 0; i++) {
      end -= isLowSurrogate(this.#tail.charCodeAt(end - 1)) && end > 1 ? 2 : 1;
    }
    return end;
  }
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
