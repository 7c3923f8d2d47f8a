import { pythonFloat } from '../../../text/python-numbers.js';
import { escaped } from './json-text.js';

/**
 * Where the respelling of a JSON text stands. `open`: the brackets around, `{` and `[`; `next`: what may come;
 * `token`: the beginning of a word, a number or an escape that is not whole yet.
 */
export type Respelling = Readonly<{
  open: string;
  next: 'value' | 'value-or-end' | 'key' | 'key-or-end' | 'colon' | 'comma-or-end' | 'nothing';
  inString: boolean;
  token: string;
}>;

export const RESPELLING_START: Respelling = { open: '', next: 'value', inString: false, token: '' };

const DEEPEST = 500;
const LONGEST_NUMBER = 4300;
const SPACE = /[ \t\n\r]*/y;
/** Neither quotes, nor backslashes, nor control characters. */
const PLAIN = /[ !#-[\]-\uffff]+/y;
const SCALAR = /[-+.\w]+/y;
const ESCAPE = /\\u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/y;
const PARTIAL_ESCAPE =
  /\\(?:u[\da-fA-F]{0,3})?$|\\u[dD][89abAB][\da-fA-F]{2}(?:\\(?:u(?:[dD](?:[c-fC-F][\da-fA-F]?)?)?)?)?$/y;

/** A JSON text as Python would print it after reading it; null when it is none, or holds numbers beyond a float. */
export function respelled(text: string): string | null {
  const step = respell(RESPELLING_START, text, true);
  return step && isWhole(step.state) ? step.text : null;
}

/** Whether one whole value was read. */
export function isWhole({ next, inString, token }: Respelling): boolean {
  return next === 'nothing' && !inString && token === '';
}

/** The same in pieces cut anywhere; null as soon as the text is not JSON. One step a character. */
export function respell(
  from: Respelling,
  text: string,
  isLast: boolean,
): { text: string; state: Respelling } | null {
  const speller = new Respeller(from, isLast);
  return speller.read(from.token + text) ? { text: speller.written, state: speller.state } : null;
}

class Respeller {
  written = '';
  #open: string;
  #next: Respelling['next'];
  #inString: boolean;
  #token = '';

  constructor(
    { open, next, inString }: Respelling,
    private readonly isLast: boolean,
  ) {
    this.#open = open;
    this.#next = next;
    this.#inString = inString;
  }

  get state(): Respelling {
    return { open: this.#open, next: this.#next, inString: this.#inString, token: this.#token };
  }

  /** False when the text is not JSON. */
  read(text: string): boolean {
    let at = 0;
    while (at < text.length) {
      const end = this.#inString ? this.#inText(text, at) : this.#outside(text, at);
      if (end === null) return false;
      at = end;
    }
    return true;
  }

  #inText(text: string, at: number): number | null {
    const plain = matched(PLAIN, text, at);
    if (plain !== '') {
      this.written += plain;
      return at + plain.length;
    }
    if (text[at] === '"') {
      this.#inString = false;
      this.#valueEnds();
      this.written += '"';
      return at + 1;
    }
    if (!this.isLast && matched(PARTIAL_ESCAPE, text, at) !== '') return this.#wait(text, at);
    const sequence = matched(ESCAPE, text, at);
    if (sequence === '') return null;
    this.written += escaped(JSON.parse(`"${sequence}"`) as string);
    return at + sequence.length;
  }

  #outside(text: string, start: number): number | null {
    const at = start + matched(SPACE, text, start).length;
    if (at === text.length) return at;
    const character = text[at]!;
    const isRead = character === '"' ? this.#quote() : this.#punctuation(character);
    return isRead ? at + 1 : this.#scalar(text, at);
  }

  #quote(): boolean {
    const isKey = this.#next === 'key' || this.#next === 'key-or-end';
    if (!isKey && !this.#takesValue) return false;
    this.written += '"';
    this.#inString = true;
    if (isKey) this.#next = 'key';
    return true;
  }

  #punctuation(character: string): boolean {
    switch (character) {
      case '{':
      case '[':
        return this.#opens(character);
      case '}':
        return this.#closes(character, '{', 'key-or-end');
      case ']':
        return this.#closes(character, '[', 'value-or-end');
      case ',':
        return this.#separates(', ', 'comma-or-end', this.#open.at(-1) === '{' ? 'key' : 'value');
      case ':':
        return this.#separates(': ', 'colon', 'value');
      default:
        return false;
    }
  }

  #opens(bracket: '{' | '['): boolean {
    if (!this.#takesValue || this.#open.length >= DEEPEST) return false;
    this.#open += bracket;
    this.#next = bracket === '{' ? 'key-or-end' : 'value-or-end';
    this.written += bracket;
    return true;
  }

  #closes(bracket: string, opened: string, whenEmpty: Respelling['next']): boolean {
    if (this.#open.at(-1) !== opened) return false;
    if (this.#next !== whenEmpty && this.#next !== 'comma-or-end') return false;
    this.#open = this.#open.slice(0, -1);
    this.#valueEnds();
    this.written += bracket;
    return true;
  }

  #separates(written: string, when: Respelling['next'], next: Respelling['next']): boolean {
    if (this.#next !== when) return false;
    this.#next = next;
    this.written += written;
    return true;
  }

  #scalar(text: string, at: number): number | null {
    const word = matched(SCALAR, text, at);
    if (word === '' || word.length > LONGEST_NUMBER || !this.#takesValue) return null;
    if (at + word.length === text.length && !this.isLast) return this.#wait(text, at);
    const spelled = scalarOf(word);
    if (spelled === null) return null;
    this.written += spelled;
    this.#valueEnds();
    return at + word.length;
  }

  get #takesValue(): boolean {
    return this.#next === 'value' || this.#next === 'value-or-end';
  }

  #valueEnds(): void {
    if (this.#next === 'key') this.#next = 'colon';
    else this.#next = this.#open === '' ? 'nothing' : 'comma-or-end';
  }

  #wait(text: string, at: number): number {
    this.#token = text.slice(at);
    return text.length;
  }
}

function scalarOf(word: string): string | null {
  if (word === 'true' || word === 'false' || word === 'null') return word;
  if (/^-?(0|[1-9]\d*)$/.test(word)) return word === '-0' ? '0' : word;
  if (!/^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(word)) return null;
  const value = Number(word);
  return Number.isFinite(value) ? pythonFloat(value) : null;
}

function matched(pattern: RegExp, text: string, at: number): string {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? '';
}
