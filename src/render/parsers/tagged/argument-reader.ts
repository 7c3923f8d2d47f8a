import { strip } from '../python-space.js';
import type { ArgumentTags, TagPattern } from './argument-tags.js';
import type { CallSink } from './call-sink.js';

/** Where the reading of a call's arguments stands. `held`: text that may be the beginning of a tag. */
export type ArgumentsState = Readonly<{
  in: 'between' | 'value-start' | 'value' | 'skipped';
  held: string;
}>;

export const ARGUMENTS_START: ArgumentsState = { in: 'between', held: '' };

/** Tags that are longer are none. */
const LONGEST_TAG = 512;

/** Finds the arguments in a call, cut anywhere. */
export class ArgumentReader {
  #state: ArgumentsState;

  constructor(
    state: ArgumentsState,
    private readonly tags: ArgumentTags,
    private readonly sink: CallSink,
  ) {
    this.#state = state;
  }

  get state(): ArgumentsState {
    return this.#state;
  }

  push(text: string): void {
    const all = this.#state.held + text;
    let at = 0;
    while (at < all.length) {
      const end = this.#state.in === 'between' ? this.#findOpening(all, at) : this.#readValue(all, at);
      if (end === null) return;
      at = end;
    }
    this.#become(this.#state.in, '');
  }

  /** The call is over: what was held back is text. */
  end(): void {
    const { in: place, held } = this.#state;
    this.#state = ARGUMENTS_START;
    if (place === 'between') return;
    const lastBreak = this.tags.trimsLineBreaks && held === '\n';
    if (held !== '' && !lastBreak && place !== 'skipped') this.sink.value(held);
    if (place !== 'skipped') this.sink.endValue(false);
  }

  /** The place after an opening tag; null when more text is needed. */
  #findOpening(text: string, from: number): number | null {
    const { opening, trimsKeys } = this.tags;
    for (let at = text.indexOf('<', from); at >= 0; at = text.indexOf('<', at + 1)) {
      const tag = matchAt(opening.whole, text, at);
      if (tag) {
        const written = Object.values(tag.groups ?? {}).find((key) => key) ?? '';
        const key = trimsKeys ? strip(written) : written;
        const isSkipped = trimsKeys && key === '';
        if (!isSkipped) this.sink.beginValue(key);
        this.#become(isSkipped ? 'skipped' : 'value-start', '');
        return at + tag[0].length;
      }
      if (mayBecome(opening, text, at)) return this.#hold(text, at);
    }
    return text.length;
  }

  /** The place after the value, or after all of it that is there; null when more text is needed. */
  #readValue(text: string, from: number): number | null {
    const { closing, nextOpening, trimsLineBreaks } = this.tags;
    const start =
      trimsLineBreaks && this.#state.in === 'value-start' && text[from] === '\n' ? from + 1 : from;
    if (this.#state.in === 'value-start') this.#become('value', '');
    for (let at = text.indexOf('<', start); at >= 0; at = text.indexOf('<', at + 1)) {
      const tag = matchAt(closing.whole, text, at);
      if (tag || (nextOpening && matchAt(nextOpening.whole, text, at))) {
        this.#endValue(text.slice(start, at));
        return at + (tag?.[0].length ?? 0);
      }
      if (mayBecome(closing, text, at) || (nextOpening && mayBecome(nextOpening, text, at))) {
        return this.#takeUpTo(text, start, at);
      }
    }
    return this.#takeUpTo(text, start, text.length);
  }

  #endValue(value: string): void {
    const skipped = this.#state.in === 'skipped';
    this.#become('between', '');
    if (skipped) return;
    const inner = this.tags.trimsLineBreaks && value.endsWith('\n') ? value.slice(0, -1) : value;
    if (inner !== '') this.sink.value(inner);
    this.sink.endValue(true);
  }

  /** Pass on a part of the value, but for a line break that may be its last. */
  #takeUpTo(text: string, start: number, end: number): null {
    const until = this.tags.trimsLineBreaks && end > start && text[end - 1] === '\n' ? end - 1 : end;
    if (until > start && this.#state.in !== 'skipped') this.sink.value(text.slice(start, until));
    return this.#hold(text, until);
  }

  #hold(text: string, from: number): null {
    this.#become(this.#state.in, text.slice(from));
    return null;
  }

  #become(place: ArgumentsState['in'], held: string): void {
    this.#state = { in: place, held };
  }
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = 0;
  return pattern.exec(text.slice(at, at + LONGEST_TAG));
}

function mayBecome({ partial }: TagPattern, text: string, at: number): boolean {
  return text.length - at < LONGEST_TAG && matchAt(partial, text, at) !== null;
}
