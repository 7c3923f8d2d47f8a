import { StartupError } from '../errors.js';
import { SplitPreTokenizer } from './huggingface.js';

type Json = Readonly<Record<string, unknown>>;

/** A part of a text. */
export interface Piece {
  text: string;
  /** Its place in the whole, in UTF-16 units. */
  start: number;
  /** UTF-16 units at its beginning that are not in the whole: an added space. */
  added: number;
  /** Where the character that the added text stands with ends, in the whole. */
  addedEnd: number;
}

/** Cuts pieces into smaller ones; `first` tells whether the pieces begin the whole text. */
export type PreTokenizer = (pieces: readonly Piece[], first: boolean) => Piece[];

export interface PreTokenization {
  split: PreTokenizer;
  /** The model spells pieces in the byte alphabet. */
  byteLevel: boolean;
}

/** What byte-level BPE splits on unless told otherwise. */
const GPT2 = "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+";
const PUNCTUATION = '[\\p{P}\\u0021-\\u002F\\u003A-\\u0040\\u005B-\\u0060\\u007B-\\u007E]';

/**
 * The pre-tokenizer that a tokenizer.json describes. It keeps track of where pieces come from and follows the
 * Rust library in what the JavaScript one leaves out (behaviours of Split, digits and spaces outside ASCII).
 * Throws a StartupError for a kind it doesn't know and for a pattern that doesn't compile.
 */
export function preTokenization(config: Json | null): PreTokenization {
  const parts = flatten(config);
  const byteLevelAt = parts.findIndex(({ type }) => type === 'ByteLevel');
  if (byteLevelAt >= 0 && byteLevelAt < parts.length - 1) {
    throw new StartupError('The tokenizer splits text after turning it into bytes, which is not supported.');
  }
  const steps = parts.map(step);
  return {
    split: (pieces, first) => steps.reduce((rest, next) => next(rest, first), [...pieces]),
    byteLevel: byteLevelAt >= 0,
  };
}

function flatten(config: Json | null): Json[] {
  if (!config) return [];
  if (config.type !== 'Sequence') return [config];
  return (config.pretokenizers as Json[]).flatMap(flatten);
}

function step(config: Json): PreTokenizer {
  switch (config.type) {
    case 'ByteLevel':
      return byteLevel(config);
    case 'Split':
      return splitter(compile(config.pattern as Json), behaviour(config), config.invert === true);
    case 'Digits':
      return splitter(/\p{N}/gu, config.individual_digits === true ? 'isolated' : 'contiguous');
    case 'Punctuation':
      return splitter(new RegExp(PUNCTUATION, 'gu'), behaviour(config));
    case 'Whitespace':
      return splitter(compile({ Regex: '\\w+|[^\\w\\s]+' }), 'removed', true);
    case 'WhitespaceSplit':
      return splitter(/\p{White_Space}/gu, 'removed');
    case 'Metaspace':
      return metaspace(config);
    default:
      throw new StartupError(`The tokenizer's pre-tokenizer "${String(config.type)}" is not supported.`);
  }
}

function byteLevel(config: Json): PreTokenizer {
  const split = config.use_regex === false ? null : splitter(compile({ Regex: GPT2 }), 'isolated');
  return (pieces, first) => {
    const spaced =
      config.add_prefix_space === true ? pieces.map((piece) => withPrefix(piece, ' ')) : [...pieces];
    return split ? split(spaced, first) : spaced;
  };
}

function metaspace(config: Json): PreTokenizer {
  const marker = String(config.replacement ?? '▁');
  const scheme = config.prepend_scheme ?? (config.add_prefix_space === false ? 'never' : 'always');
  const split = config.split === false ? null : splitter(new RegExp(marker, 'gu'), 'mergedwithnext');
  return (pieces, first) => {
    const marked = pieces.map((piece) => {
      const text = piece.text.replaceAll(' ', marker);
      const wanted = scheme === 'always' || (scheme === 'first' && first && piece.start === 0);
      return wanted ? withPrefix({ ...piece, text }, marker) : { ...piece, text };
    });
    return split ? split(marked, first) : marked;
  };
}

function withPrefix(piece: Piece, prefix: string): Piece {
  if (piece.text.startsWith(prefix)) return piece;
  const first = String.fromCodePoint(piece.text.codePointAt(0) ?? 0).length;
  const { text, start } = piece;
  return { text: prefix + text, start, added: prefix.length, addedEnd: start + Math.min(first, text.length) };
}

type Behaviour = 'removed' | 'isolated' | 'contiguous' | 'mergedwithprevious' | 'mergedwithnext';
const BEHAVIOURS: readonly unknown[] = [
  'removed',
  'isolated',
  'contiguous',
  'mergedwithprevious',
  'mergedwithnext',
] satisfies Behaviour[];

function behaviour(config: Json): Behaviour {
  const name = String(config.behavior ?? 'Isolated').toLowerCase();
  if (BEHAVIOURS.includes(name)) return name as Behaviour;
  throw new StartupError(`The tokenizer splits with the behaviour "${name}", which is not supported.`);
}

/** A pattern of a tokenizer.json, in Oniguruma's syntax, as a JavaScript one. */
export function compile(pattern: Json): RegExp {
  try {
    const { pattern: regex } = new SplitPreTokenizer({ pattern, behavior: 'Isolated' });
    if (regex) return regex;
  } catch (error) {
    throw new StartupError(
      `The tokenizer's pattern ${JSON.stringify(pattern.Regex)} can't be used: ${(error as Error).message}`,
    );
  }
  throw new StartupError(`The tokenizer has a pattern of an unknown kind: ${JSON.stringify(pattern)}`);
}

function splitter(regex: RegExp, how: Behaviour, invert = false): PreTokenizer {
  return (pieces) => {
    const out: Piece[] = [];
    for (const piece of pieces) cut(piece, regex, how, invert, out);
    return out;
  };
}

/** Walk over matches and the gaps between them. */
function cut(piece: Piece, regex: RegExp, how: Behaviour, invert: boolean, out: Piece[]): void {
  const { text } = piece;
  const joiner = new Joiner(piece, how, out);
  let end = 0;
  regex.lastIndex = 0;
  for (let match = regex.exec(text); match; match = regex.exec(text)) {
    if (match[0].length === 0) {
      regex.lastIndex += (text.codePointAt(match.index) ?? 0) > 0xffff ? 2 : 1;
      continue;
    }
    joiner.add(end, match.index, invert);
    joiner.add(match.index, regex.lastIndex, !invert);
    end = regex.lastIndex;
  }
  joiner.add(end, text.length, invert);
  joiner.flush();
}

/** Joins matches to their neighbours as a behaviour says. */
class Joiner {
  #start = -1;
  #end = -1;
  #wasMatch = false;

  constructor(
    private readonly piece: Piece,
    private readonly how: Behaviour,
    private readonly out: Piece[],
  ) {}

  add(start: number, end: number, isMatch: boolean): void {
    if (start === end) return;
    if (isMatch && this.how === 'removed') {
      this.flush();
      return;
    }
    if (this.#start >= 0 && this.#joins(isMatch)) {
      this.#end = end;
    } else {
      this.flush();
      this.#start = start;
      this.#end = end;
    }
    this.#wasMatch = isMatch;
  }

  flush(): void {
    if (this.#start >= 0) {
      const { text, start, added, addedEnd } = this.piece;
      this.out.push({
        text: text.slice(this.#start, this.#end),
        start: start + Math.max(0, this.#start - added),
        added: Math.max(0, added - this.#start),
        addedEnd,
      });
    }
    this.#start = -1;
  }

  #joins(isMatch: boolean): boolean {
    if (this.how === 'contiguous') return isMatch === this.#wasMatch;
    if (this.how === 'mergedwithprevious') return isMatch && !this.#wasMatch;
    return this.how === 'mergedwithnext' && !isMatch && this.#wasMatch;
  }
}
