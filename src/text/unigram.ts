import { StartupError } from '../errors.js';
import { byteTokens, type PieceModel } from './bpe.js';

type Json = Readonly<Record<string, unknown>>;

/** An unknown character scores this much below the least likely token. */
const UNKNOWN_PENALTY = 10;

/** Unigram: the most likely way to write a piece with the vocabulary, in time linear in its length. */
export class Unigram implements PieceModel {
  readonly #entries: ReadonlyMap<string, readonly [id: number, score: number]>;
  readonly #longest: number;
  readonly #unknown: number;
  readonly #unknownScore: number;

  /** `model`: the `model` of a tokenizer.json. */
  constructor(
    private readonly model: Json,
    private readonly vocabulary: ReadonlyMap<string, number>,
  ) {
    const entries = model.vocab as ReadonlyArray<readonly [token: string, score: number]>;
    if (typeof model.unk_id !== 'number') throw new StartupError('The tokenizer has no unknown token.');
    this.#entries = new Map(entries.map(([token, score], id) => [token, [id, score]]));
    this.#longest = entries.reduce((most, [token]) => Math.max(most, token.length), 1);
    this.#unknown = model.unk_id;
    this.#unknownScore = entries.reduce((least, [, score]) => Math.min(least, score), 0) - UNKNOWN_PENALTY;
  }

  encode(piece: string): readonly number[] {
    const best = this.#bestPaths(piece);
    const ids: number[] = [];
    for (let end = piece.length; end > 0; end = best.from[end]!) {
      const id = best.id[end]!;
      if (id !== this.#unknown) ids.push(id);
      else this.#pushUnknown(piece.slice(best.from[end]!, end), ids);
    }
    return ids.reverse();
  }

  /** For each place the last token of the best path that ends there, and where that token begins. */
  #bestPaths(piece: string): { from: Int32Array; id: Int32Array } {
    const from = new Int32Array(piece.length + 1).fill(-1);
    const id = new Int32Array(piece.length + 1);
    const score = new Float64Array(piece.length + 1);
    const offer = (start: number, end: number, token: number, gain: number): void => {
      const total = score[start]! + gain;
      if (from[end]! >= 0 && total <= score[end]!) return;
      from[end] = start;
      id[end] = token;
      score[end] = total;
    };
    let start = 0;
    for (const character of piece) {
      const single = start + character.length;
      for (let end = start + 1; end <= Math.min(piece.length, start + this.#longest); end++) {
        const entry = this.#entries.get(piece.slice(start, end));
        if (entry) offer(start, end, ...entry);
      }
      if (!this.#entries.has(character)) offer(start, single, this.#unknown, this.#unknownScore);
      start = single;
    }
    return { from, id };
  }

  /** Neighbouring unknown characters are one token, unless the vocabulary can write their bytes. Ids come backwards. */
  #pushUnknown(character: string, ids: number[]): void {
    const bytes = this.model.byte_fallback === true ? byteTokens(character, this.vocabulary) : null;
    if (bytes) ids.push(...bytes.reverse());
    else if (ids.at(-1) !== this.#unknown) ids.push(this.#unknown);
  }
}
