import { StartupError } from '../errors.js';
import { textToByteCharacters } from './byte-level.js';
import { mergeNeighbours } from './merge-neighbours.js';
import { MergeTable } from './merge-table.js';
import { encodeUtf8 } from './utf8.js';
import { unknownId } from './vocabulary.js';

type Json = Readonly<Record<string, unknown>>;

/** Longer words are seldom seen twice. */
const LONGEST_CACHED = 256;
const CACHED_WORDS = 20_000;

/** Turns one piece of text, as the pre-tokenizer cuts it, into token ids. */
export interface PieceModel {
  encode(piece: string): readonly number[];
}

/**
 * Byte-pair encoding, in n · log n steps for a piece of n characters whatever the text (a queue of merges over a
 * linked list in typed arrays), so that pieces need no upper length. Words are cached.
 */
export class Bpe implements PieceModel {
  readonly #merges: MergeTable;
  readonly #cache = new Map<string, readonly number[]>();
  readonly #ignoreMerges: boolean;
  readonly #byteFallback: boolean;
  readonly #fuseUnknown: boolean;
  readonly #unknown: number | undefined;

  /** `model`: the `model` of a tokenizer.json; `byteLevel`: pieces are spelled in the byte alphabet. */
  constructor(
    model: Json,
    private readonly vocabulary: ReadonlyMap<string, number>,
    private readonly byteLevel: boolean,
  ) {
    for (const key of ['continuing_subword_prefix', 'end_of_word_suffix']) {
      if (model[key]) throw new StartupError(`The tokenizer's "${key}" is not supported.`);
    }
    this.#merges = new MergeTable(readMerges(model.merges, vocabulary));
    this.#ignoreMerges = model.ignore_merges === true;
    this.#byteFallback = model.byte_fallback === true;
    this.#fuseUnknown = model.fuse_unk === true;
    this.#unknown = unknownId(model, vocabulary);
  }

  encode(piece: string): readonly number[] {
    const cached = this.#cache.get(piece);
    if (cached) return cached;
    const ids = this.#merge(piece);
    if (piece.length <= LONGEST_CACHED) this.#remember(piece, ids);
    return ids;
  }

  #remember(piece: string, ids: readonly number[]): void {
    if (this.#cache.size >= CACHED_WORDS) this.#cache.clear();
    this.#cache.set(piece, ids);
  }

  #merge(piece: string): readonly number[] {
    const characters = this.byteLevel ? textToByteCharacters(piece) : Array.from(piece);
    if (this.#ignoreMerges) {
      const whole = this.vocabulary.get(characters.join(''));
      if (whole !== undefined) return [whole];
    }
    return mergePairs(this.#symbols(characters), this.#merges);
  }

  /** One id a character: its own, those of its bytes, or the unknown token. */
  #symbols(characters: readonly string[]): number[] {
    const ids: number[] = [];
    let afterUnknown = false;
    for (const character of characters) {
      const id = this.vocabulary.get(character);
      const known =
        id !== undefined ? [id] : this.#byteFallback ? byteTokens(character, this.vocabulary) : null;
      if (known) ids.push(...known);
      else if (this.#unknown !== undefined && !(afterUnknown && this.#fuseUnknown)) ids.push(this.#unknown);
      afterUnknown = known === null;
    }
    return ids;
  }
}

/** How vocabularies with byte fallback write a byte, such as `<0x0A>`. */
export function byteToken(byte: number): string {
  return `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`;
}

/** The byte tokens of a character; null unless the vocabulary has them all. */
export function byteTokens(character: string, vocabulary: ReadonlyMap<string, number>): number[] | null {
  const ids = Array.from(encodeUtf8(character), (byte) => vocabulary.get(byteToken(byte)));
  return ids.every((id) => id !== undefined) ? ids : null;
}

function mergePairs(ids: number[], merges: MergeTable): number[] {
  if (ids.length < 2) return ids;
  const symbols = Int32Array.from(ids);
  const next = mergeNeighbours(ids.length, {
    rank: (left, right) => merges.rank(symbols[left]!, symbols[right]!),
    merge: (left, _, rank) => {
      symbols[left] = merges.merged(rank);
    },
  });
  const merged: number[] = [];
  for (let at = 0; at >= 0; at = next[at]!) merged.push(symbols[at]!);
  return merged;
}

function readMerges(
  merges: unknown,
  vocabulary: ReadonlyMap<string, number>,
): Array<readonly [number, number, number]> {
  if (!Array.isArray(merges)) throw new StartupError('The tokenizer has no list of merges.');
  return merges.map((merge: unknown) => {
    const [left, right] = sides(merge);
    const ids = [vocabulary.get(left), vocabulary.get(right), vocabulary.get(left + right)] as const;
    if (ids.some((id) => id === undefined)) {
      throw new StartupError(
        `The tokenizer merges "${left}" and "${right}", which its vocabulary does not have.`,
      );
    }
    return ids as readonly [number, number, number];
  });
}

/** A merge is written ["a", "b"] or, in older files, "a b". */
function sides(merge: unknown): [left: string, right: string] {
  const [left, right] = Array.isArray(merge) ? (merge as unknown[]) : halves(merge);
  if (typeof left === 'string' && typeof right === 'string') return [left, right];
  throw new StartupError('The tokenizer has a merge that is no pair of tokens.');
}

function halves(merge: unknown): unknown[] {
  const at = typeof merge === 'string' ? merge.indexOf(' ', 1) : -1;
  return at < 0 ? [] : [(merge as string).slice(0, at), (merge as string).slice(at + 1)];
}
