/** A token of Python's source, or a part of a string. */
export type Token =
  | { kind: 'sign'; text: string }
  /** A name, with its dots, or a number. */
  | { kind: 'word'; text: string }
  | { kind: 'string'; part: 'begin' | 'end' }
  /** What a part of a string says, escapes read. */
  | { kind: 'string'; part: 'text'; text: string }
  | { kind: 'wrong' };

/** The string that is open: its quotes, and whether backslashes are plain in it. */
export type OpenString = Readonly<{ quotes: string; isRaw: boolean }>;

/** Longer words are no names and no numbers. */
const LONGEST_WORD = 512;

const SPACE = /\s+/y;
const SIGN = /[[\](){},:=]/y;
const WORD = /[\p{L}\p{N}_.+-]+/uy;
const STRING = /([rRuU]?)('''|"""|'|")/y;
const PLAIN = /[^\\'"]+/y;
const SIMPLE_ESCAPES: Readonly<Record<string, string>> = {
  '\n': '',
  '\\': '\\',
  "'": "'",
  '"': '"',
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};
const NUMBER_ESCAPE = /\\(?:([0-7]{1,3})|x([\da-fA-F]{2})|u([\da-fA-F]{4})|U([\da-fA-F]{8}))/y;
/** As much of an escape as may yet become one. */
const BEGUN_ESCAPE = /\\(?:[0-7]{0,2}|x[\da-fA-F]?|u[\da-fA-F]{0,3}|U[\da-fA-F]{0,7})$/y;

/**
 * The tokens of a text that goes on, and what of its end can't be read yet. Strings may have line breaks in them, which
 * Python's have only between three quotes (language reference, section 2.4). The caller says by `open` in which string it
 * stands.
 */
export function readToken(
  text: string,
  at: number,
  open: OpenString | null,
): { token: Token | null; open: OpenString | null; end: number } | null {
  return open ? readInString(text, at, open) : readOutside(text, at);
}

function readOutside(text: string, at: number) {
  const space = match(SPACE, text, at);
  if (space) return { token: null, open: null, end: at + space[0].length };
  const sign = match(SIGN, text, at);
  if (sign) return { token: { kind: 'sign', text: sign[0] } as const, open: null, end: at + 1 };
  const string = match(STRING, text, at);
  if (string) return beginString(text, at, string);
  const word = match(WORD, text, at);
  if (!word || word[0].length > LONGEST_WORD) return wrong(text);
  const end = at + word[0].length;
  return end === text.length ? null : { token: { kind: 'word', text: word[0] } as const, open: null, end };
}

/** Two quotes may be an empty string, or the beginning of three. */
function beginString(text: string, at: number, [all, prefix, quotes]: RegExpExecArray) {
  const end = at + all.length;
  const isShort = quotes!.length === 1;
  if (isShort && text.length < end + 2 && text.slice(end) === quotes!.repeat(text.length - end)) return null;
  const open = { quotes: quotes!, isRaw: prefix!.toLowerCase() === 'r' };
  return { token: { kind: 'string', part: 'begin' } as const, open, end };
}

function readInString(text: string, at: number, open: OpenString) {
  const plain = match(PLAIN, text, at);
  if (plain) return said(plain[0], open, at + plain[0].length);
  if (text[at] === '\\') return open.isRaw ? readRawEscape(text, at, open) : readEscape(text, at, open);
  if (text.startsWith(open.quotes, at)) {
    return { token: { kind: 'string', part: 'end' } as const, open: null, end: at + open.quotes.length };
  }
  const mayEnd = open.quotes.startsWith(text.slice(at));
  return mayEnd ? null : said(text[at]!, open, at + 1);
}

function readRawEscape(text: string, at: number, open: OpenString) {
  return at + 1 === text.length ? null : said(text.slice(at, at + 2), open, at + 2);
}

function readEscape(text: string, at: number, open: OpenString) {
  if (match(BEGUN_ESCAPE, text, at)) return null;
  const number = match(NUMBER_ESCAPE, text, at);
  if (number) {
    const [all, octal, ...hex] = number;
    const code = octal === undefined ? Number.parseInt(hex.join(''), 16) : Number.parseInt(octal, 8);
    return code > 0x10ffff ? wrong(text) : said(String.fromCodePoint(code), open, at + all.length);
  }
  const next = text[at + 1]!;
  if (/[xuUN]/.test(next)) return wrong(text);
  const simple = SIMPLE_ESCAPES[next];
  // An escape that is none is its backslash and its letter.
  return simple === undefined ? said('\\', open, at + 1) : said(simple, open, at + 2);
}

function said(text: string, open: OpenString, end: number) {
  return { token: { kind: 'string', part: 'text', text } as const, open, end };
}

function wrong(text: string) {
  return { token: { kind: 'wrong' } as const, open: null, end: text.length };
}

function match(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}
