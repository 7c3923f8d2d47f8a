import { StartupError } from '../errors.js';
import { byteTokens, type PieceModel } from './bpe.js';
import { mergeNeighbours } from './merge-neighbours.js';
import { unknownId } from './vocabulary.js';

type Json = Readonly<Record<string, unknown>>;

/**
 * BPE as SentencePiece does it: of all neighbours whose text together is a piece, those of the highest score are joined
 * first, the leftmost among equals. There is no list of merges. User-defined pieces are found before anything is
 * joined, the longest first, and stay as they are. Takes n · log n steps for n characters.
 */
export class SentencePieceBpe implements PieceModel {
  /** Rank of the pieces that merging may make, the highest score first; equal scores share a rank. */
  readonly #ranks: ReadonlyMap<string, number>;
  readonly #longest: number;
  /** By first character, the longest first. */
  readonly #userDefined: ReadonlyMap<string, readonly string[]>;
  readonly #unknown: number | undefined;
  readonly #byteFallback: boolean;

  /**
   * `model`: `scores` by id, null for what merging doesn't make (control, byte and unused pieces); `user_defined`
   * pieces; `unk_token` and `byte_fallback` as in a tokenizer.json.
   */
  constructor(
    model: Json,
    private readonly vocabulary: ReadonlyMap<string, number>,
  ) {
    const scores = scoresOf(model);
    this.#ranks = ranksOf(scores, vocabulary);
    this.#longest = [...this.#ranks.keys()].reduce((most, piece) => Math.max(most, piece.length), 1);
    this.#userDefined = byFirst((model.user_defined ?? []) as string[]);
    this.#unknown = unknownId(model, vocabulary);
    this.#byteFallback = model.byte_fallback === true;
  }

  encode(piece: string): readonly number[] {
    const { starts, ends, frozen } = this.#symbols(piece);
    const next = mergeNeighbours(starts.length, {
      rank: (left, right) => {
        if (frozen[left] || frozen[right] || ends[right]! - starts[left]! > this.#longest) return -1;
        return this.#ranks.get(piece.slice(starts[left], ends[right])) ?? -1;
      },
      merge: (left, right) => {
        ends[left] = ends[right]!;
      },
    });
    const ids: number[] = [];
    for (let at = starts.length > 0 ? 0 : -1; at >= 0; at = next[at]!) {
      this.#push(piece.slice(starts[at], ends[at]), frozen[at]!, ids);
    }
    return ids;
  }

  /** User-defined pieces and single characters, by their places. */
  #symbols(piece: string): { starts: number[]; ends: number[]; frozen: boolean[] } {
    const starts: number[] = [];
    const ends: number[] = [];
    const frozen: boolean[] = [];
    for (let at = 0; at < piece.length; ) {
      const character = String.fromCodePoint(piece.codePointAt(at)!);
      const found = this.#userDefined.get(character)?.find((text) => piece.startsWith(text, at));
      starts.push(at);
      at += (found ?? character).length;
      ends.push(at);
      frozen.push(found !== undefined);
    }
    return { starts, ends, frozen };
  }

  /** A piece that the vocabulary has, else its bytes, else the unknown token, once for a run of them. */
  #push(text: string, frozen: boolean, ids: number[]): void {
    const id = frozen || this.#ranks.has(text) ? this.vocabulary.get(text) : undefined;
    if (id !== undefined) {
      ids.push(id);
      return;
    }
    const bytes = this.#byteFallback ? byteTokens(text, this.vocabulary) : null;
    if (bytes) ids.push(...bytes);
    else if (this.#unknown !== undefined && ids.at(-1) !== this.#unknown) ids.push(this.#unknown);
  }
}

function scoresOf(model: Json): ReadonlyArray<number | null> {
  if (Array.isArray(model.scores)) return model.scores as Array<number | null>;
  throw new StartupError('The tokenizer has no scores.');
}

function ranksOf(
  scores: ReadonlyArray<number | null>,
  vocabulary: ReadonlyMap<string, number>,
): Map<string, number> {
  const distinct = [...new Set(scores.filter((score) => score !== null))].sort((a, b) => b - a);
  const rankOf = new Map(distinct.map((score, rank) => [score, rank]));
  const ranks = new Map<string, number>();
  for (const [piece, id] of vocabulary) {
    const score = scores[id];
    if (typeof score === 'number') ranks.set(piece, rankOf.get(score)!);
  }
  return ranks;
}

function byFirst(pieces: readonly string[]): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const piece of pieces.toSorted((a, b) => b.length - a.length)) {
    if (piece === '') continue;
    const first = String.fromCodePoint(piece.codePointAt(0)!);
    const list = found.get(first);
    if (list) list.push(piece);
    else found.set(first, [piece]);
  }
  return found;
}
