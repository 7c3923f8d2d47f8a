import type { CallPieces } from '../call-pieces.js';
import { type OpenString, readToken, type Token } from './lexer.js';
import { literalJson } from './literals.js';

/** What the next token has to be; `item`: the next of the innermost container, or its end. */
type Place = 'list' | 'item' | 'paren' | 'equals' | 'colon' | 'value' | 'after' | 'end' | 'wrong';

/** The list of calls, a call's arguments, and a list, tuple or dictionary in them. */
type Kind = 'calls' | 'call' | 'list' | 'tuple' | 'dict';
type Container = Readonly<{ kind: Kind; items: number; commas: number }>;

/**
 * Where the reading of a list of calls stands. `string`: the one that is open; `joins`: a string has ended, and one that
 * follows goes on with it. `held`: what can't be read yet.
 */
export type CallsState = Readonly<{
  place: Place;
  open: readonly Container[];
  string: OpenString | null;
  joins: boolean;
  calls: number;
  held: string;
}>;

export const CALLS_START: CallsState = {
  place: 'list',
  open: [],
  string: null,
  joins: false,
  calls: 0,
  held: '',
};

/** Deeper values are no arguments: the state would grow with them. */
const DEEPEST = 100;
const KEYWORD = /^[\p{L}_][\p{L}\p{N}_]*$/u;
const NAME = /^[\p{L}_][\p{L}\p{N}_]*(?:\.[\p{L}_][\p{L}\p{N}_]*)*$/u;

const CLOSERS: Readonly<Record<Kind, string>> = { calls: ']', call: ')', list: ']', tuple: ')', dict: '}' };
const OPENERS: Readonly<Record<string, Kind>> = { '[': 'list', '(': 'tuple', '{': 'dict' };
/** In JSON. */
const BRACKETS: Readonly<Record<Kind, readonly [open: string, close: string]>> = {
  calls: ['', ''],
  call: ['{', '}'],
  list: ['[', ']'],
  tuple: ['[', ']'],
  dict: ['{', '}'],
};

/**
 * Reads `[name(key=value, …), …]` on. Names and arguments go to `pieces`, arguments in JSON as Python's `json.dumps` writes
 * them. Values are literals: strings, numbers, names of true, false and nothing, and lists, tuples and dictionaries of them.
 * The place is `wrong` from where the text is no such list.
 */
export function readCalls(state: CallsState, text: string, pieces: CallPieces): CallsState {
  return new CallsReader(state, pieces).read(state.held + text);
}

class CallsReader {
  #place: Place;
  #open: Container[];
  #string: OpenString | null;
  #joins: boolean;
  #calls: number;

  constructor(
    from: CallsState,
    private readonly pieces: CallPieces,
  ) {
    this.#place = from.place;
    this.#open = [...from.open];
    this.#string = from.string;
    this.#joins = from.joins;
    this.#calls = from.calls;
  }

  read(text: string): CallsState {
    let at = 0;
    while (at < text.length && this.#place !== 'wrong') {
      const step = readToken(text, at, this.#string);
      if (!step) break;
      this.#string = step.open;
      at = step.end;
      if (step.token && !this.#takes(step.token)) this.#place = 'wrong';
    }
    return {
      place: this.#place,
      open: this.#open,
      string: this.#string,
      joins: this.#joins,
      calls: this.#calls,
      held: this.#place === 'wrong' ? '' : text.slice(at),
    };
  }

  /** False where the token can't stand here. */
  #takes(token: Token): boolean {
    if (token.kind === 'wrong') return false;
    if (token.kind === 'string') return this.#takesString(token);
    this.#endString();
    return token.kind === 'word' ? this.#takesWord(token.text) : this.#takesSign(token.text);
  }

  #takesString(token: Extract<Token, { kind: 'string' }>): boolean {
    if (token.part === 'text') this.#say(JSON.stringify(token.text).slice(1, -1));
    if (token.part === 'end') this.#joins = true;
    if (token.part !== 'begin') return true;
    const goesOn = this.#joins;
    this.#joins = false;
    return goesOn || this.#takesScalar('"');
  }

  /** A string is over when something else than a string follows. */
  #endString(): void {
    if (this.#joins) this.#say('"');
    this.#joins = false;
  }

  #takesWord(word: string): boolean {
    const kind = this.#place === 'item' ? this.#innermost?.kind : null;
    if (kind === 'calls') return this.#beginsCall(word);
    if (kind === 'call') return this.#beginsKeyword(word);
    const json = literalJson(word);
    return json !== null && this.#takesScalar(kind === 'dict' ? `"${json}"` : json);
  }

  #beginsCall(name: string): boolean {
    if (!NAME.test(name)) return false;
    this.#countItem();
    this.pieces.begin(this.#calls++, name);
    return this.#goesTo('paren');
  }

  #beginsKeyword(keyword: string): boolean {
    if (!KEYWORD.test(keyword)) return false;
    this.#countItem();
    this.#say(`"${keyword}": `);
    return this.#goesTo('equals');
  }

  /** A value that is no container, or its beginning; or a dictionary's key. */
  #takesScalar(json: string): boolean {
    const isKey = this.#place === 'item' && this.#innermost?.kind === 'dict';
    if (!this.#beginsValue(isKey)) return false;
    this.#say(json);
    this.#place = isKey ? 'colon' : 'after';
    return true;
  }

  #beginsValue(isKey: boolean): boolean {
    if (this.#place === 'value') return true;
    const kind = this.#innermost?.kind;
    if (this.#place !== 'item' || !(isKey || kind === 'list' || kind === 'tuple')) return false;
    this.#countItem();
    return true;
  }

  #takesSign(sign: string): boolean {
    switch (this.#place) {
      case 'list':
        return sign === '[' && this.#opens('calls');
      case 'paren':
        return sign === '(' && this.#opens('call');
      case 'equals':
        return sign === '=' && this.#goesTo('value');
      case 'colon':
        return sign === ':' && this.#takesColon();
      case 'after':
        return sign === ',' ? this.#takesComma() : this.#closes(sign);
      case 'item':
        return this.#closes(sign) || this.#opensValue(sign);
      case 'value':
        return this.#opensValue(sign);
      default:
        return false;
    }
  }

  #opensValue(sign: string): boolean {
    const kind = OPENERS[sign];
    return kind !== undefined && this.#beginsValue(false) && this.#opens(kind);
  }

  #opens(kind: Kind): boolean {
    this.#say(BRACKETS[kind][0]);
    this.#open.push({ kind, items: 0, commas: 0 });
    return this.#open.length <= DEEPEST && this.#goesTo('item');
  }

  #closes(sign: string): boolean {
    const closed = this.#innermost;
    if (!closed || sign !== CLOSERS[closed.kind]) return false;
    // One item between parentheses, without a comma, is no tuple.
    if (closed.kind === 'tuple' && closed.items === 1 && closed.commas === 0) return false;
    this.#say(BRACKETS[closed.kind][1]);
    this.#open.pop();
    return this.#goesTo(closed.kind === 'calls' ? 'end' : 'after');
  }

  #takesColon(): boolean {
    this.#say(': ');
    return this.#goesTo('value');
  }

  #takesComma(): boolean {
    const { kind, items, commas } = this.#open.pop()!;
    this.#open.push({ kind, items, commas: commas + 1 });
    return this.#goesTo('item');
  }

  #countItem(): void {
    const { kind, items, commas } = this.#open.pop()!;
    if (items > 0 && kind !== 'calls') this.#say(', ');
    this.#open.push({ kind, items: items + 1, commas });
  }

  #goesTo(place: Place): true {
    this.#place = place;
    return true;
  }

  #say(json: string): void {
    this.pieces.addArguments(this.#calls - 1, json);
  }

  get #innermost(): Container | undefined {
    return this.#open.at(-1);
  }
}
