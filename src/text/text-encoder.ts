import { AddedTokenSplitter, type Section } from './added-token-splitter.js';
import type { AddedToken } from './added-tokens.js';
import { type Alignment, align } from './alignment.js';
import type { PieceModel } from './bpe.js';
import type { Normalizer } from './normalizer.js';
import type { Piece, PreTokenization } from './pre-tokenizers.js';

/** Receives tokens in order; `start` and `end` are UTF-16 offsets into the text. */
export interface TokenSink {
  token(id: number, start: number, end: number): void;
  /** All tokens of one piece; `toText` maps the piece's UTF-16 places to those of the text. */
  piece(piece: Piece, ids: readonly number[], toText: PlaceMap): void;
  /** Whether places matter; without them aligning can be left out. */
  readonly wantsPlaces: boolean;
}

export interface PlaceMap {
  start(unit: number): number;
  end(unit: number): number;
}

/** Text to ids: added tokens, normaliser, added tokens in normalised text, pre-tokenizer, model. */
export class EncodingPipeline {
  readonly #raw: AddedTokenSplitter;
  readonly #normalized: AddedTokenSplitter;

  constructor(
    added: readonly AddedToken[],
    private readonly normalize: Normalizer | null,
    private readonly preTokenization: PreTokenization,
    private readonly model: PieceModel,
  ) {
    const isLate = (token: AddedToken): boolean => normalize !== null && token.normalized;
    this.#raw = new AddedTokenSplitter(
      added.filter((token) => !isLate(token)).map((token) => [token.content, token]),
    );
    this.#normalized = new AddedTokenSplitter(
      added.filter(isLate).map((token) => [normalize!(token.content), token]),
    );
  }

  run(text: string, sink: TokenSink): void {
    for (const section of this.#raw.split(text)) {
      if (section.token) sink.token(section.token.id, section.start, section.end);
      else this.#section(text.slice(section.start, section.end), section, sink);
    }
  }

  #section(original: string, { start }: Section, sink: TokenSink): void {
    const text = this.normalize ? this.normalize(original) : original;
    const places = placeMap(original, start, sink.wantsPlaces ? align(original, text) : null);
    for (const part of this.#normalized.split(text)) {
      if (part.token) {
        sink.token(part.token.id, places.start(part.start), places.end(part.end));
        continue;
      }
      const { start: from, end } = part;
      const piece = { text: text.slice(from, end), start: from, added: 0, addedEnd: from };
      for (const cut of this.preTokenization.split([piece], start === 0)) {
        sink.piece(cut, this.model.encode(cut.text), places);
      }
    }
  }
}

function placeMap(original: string, offset: number, alignment: Alignment | null): PlaceMap {
  if (!alignment) return { start: (unit) => offset + unit, end: (unit) => offset + unit };
  const { starts, ends } = alignment;
  return {
    start: (unit) => offset + (starts[unit] ?? original.length),
    end: (unit) => offset + (unit > 0 ? ends[unit - 1]! : 0),
  };
}
