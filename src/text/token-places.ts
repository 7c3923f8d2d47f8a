import type { Piece } from './pre-tokenizers.js';
import type { PlaceMap, TokenSink } from './text-encoder.js';

/** Collects ids only. */
export class IdSink implements TokenSink {
  readonly wantsPlaces = false;
  readonly ids: number[] = [];

  token(id: number): void {
    this.ids.push(id);
  }

  piece(_piece: Piece, ids: readonly number[]): void {
    for (const id of ids) this.ids.push(id);
  }
}

/** [start, end) of a token in the text, in Unicode characters. */
export type TokenOffset = [start: number, end: number];

/** Collects ids and the characters that each came from; a token that holds part of a character covers all of it. */
export class PlaceSink implements TokenSink {
  readonly wantsPlaces = true;
  readonly ids: number[] = [];
  readonly offsets: TokenOffset[] = [];
  readonly #characters: Int32Array;

  /** `width`: how many UTF-8 bytes of a piece an id stands for; 0 = one character. */
  constructor(
    text: string,
    private readonly width: (id: number) => number,
  ) {
    this.#characters = charactersBefore(text);
  }

  token(id: number, start: number, end: number): void {
    this.ids.push(id);
    this.offsets.push([this.#characters[start]!, this.#characters[end]!]);
  }

  piece(piece: Piece, ids: readonly number[], places: PlaceMap): void {
    const { starts, ends } = rangesOfBytes(piece);
    let at = 0;
    for (const id of ids) {
      const last = this.#last(starts, at, this.width(id));
      const whole = piece.start + piece.text.length - piece.added;
      this.token(id, places.start(starts[at] ?? whole), places.end(ends[last] ?? whole));
      at = last + 1;
    }
  }

  /** The last byte of a token that begins at byte `at`. */
  #last(starts: readonly number[], at: number, width: number): number {
    if (width > 0) return Math.min(at + width, starts.length) - 1;
    let last = at;
    while (starts[last + 1] === starts[at]) last++;
    return last;
  }
}

/** For each UTF-8 byte of a piece the UTF-16 range of its character in the whole; added text counts as the first. */
function rangesOfBytes({ text, start, added, addedEnd }: Piece): { starts: number[]; ends: number[] } {
  const starts: number[] = [];
  const ends: number[] = [];
  let unit = 0;
  for (const character of text) {
    const from = start + Math.max(0, unit - added);
    unit += character.length;
    const to = unit <= added ? addedEnd : start + unit - added;
    for (let byte = utf8Length(character); byte > 0; byte--) {
      starts.push(from);
      ends.push(to);
    }
  }
  return { starts, ends };
}

function utf8Length(character: string): number {
  const code = character.codePointAt(0)!;
  if (code < 0x80) return 1;
  if (code < 0x800) return 2;
  return code < 0x10000 ? 3 : 4;
}

/** How many characters come before each UTF-16 unit, and before the end. */
function charactersBefore(text: string): Int32Array {
  const before = new Int32Array(text.length + 1);
  let count = 0;
  for (let unit = 0; unit < text.length; unit++) {
    before[unit] = count;
    const code = text.charCodeAt(unit);
    const isPairStart = code >= 0xd800 && code < 0xdc00 && (text.charCodeAt(unit + 1) & 0xfc00) === 0xdc00;
    if (!isPairStart) count++;
  }
  before[text.length] = count;
  return before;
}
