import { StartupError } from '../errors.js';
import type { TokenizerSpec } from '../model/index.js';
import { type AddedToken, addedTokens } from './added-tokens.js';
import { byteToken } from './bpe.js';
import { normalizer } from './normalizer.js';
import { pieceModel } from './piece-models.js';
import { preTokenization } from './pre-tokenizers.js';
import { type SpecialFrame, specialFrame } from './special-frame.js';
import { EncodingPipeline } from './text-encoder.js';
import { type TokenSpelling, tokenSpelling } from './token-bytes.js';
import { IdSink, PlaceSink, type TokenOffset } from './token-places.js';
import { type OffsetTrimmer, offsetTrimmer } from './trim-offsets.js';
import { concatBytes, decodeLossy, encodeUtf8 } from './utf8.js';
import { readVocabulary, unknownId } from './vocabulary.js';

type Json = Readonly<Record<string, unknown>>;

export type { TokenOffset } from './token-places.js';

/** Text to ids and ids to text. Holds no state of a request: one serves all. */
export interface Tokenizer {
  /** Ids are below this; gaps are possible. */
  readonly vocabSize: number;
  /** Characters of the longest token as the vocabulary spells it: n tokens stand for at most n times as many. */
  readonly longestToken: number;
  /** Decoded text that begins with spaces loses up to this many; 0 for byte-level vocabularies. */
  readonly leadingSpaces: number;
  /** `addSpecialTokens` adds what the tokenizer puts around a text, such as BOS. Time grows about linearly. */
  encode(text: string, addSpecialTokens: boolean): number[];
  /** As `encode`, with the characters that each token came from; added special tokens have [0, 0]. */
  encodeWithOffsets(text: string, addSpecialTokens: boolean): { ids: number[]; offsets: TokenOffset[] };
  /** The text of ids; ids outside the vocabulary give nothing, bytes that are not UTF-8 give U+FFFD. */
  decode(ids: ArrayLike<number>, skipSpecialTokens: boolean): string;
  /** The UTF-8 bytes that an id stands for; none outside the vocabulary. Not to be changed. */
  bytes(id: number): Uint8Array;
  /** The vocabulary's spelling of an id, such as `Ġworld`. */
  idToToken(id: number): string | undefined;
  /** The id of a token as the vocabulary spells it. */
  tokenToId(token: string): number | undefined;
  /** A control token such as EOS: left out of text with `skip_special_tokens`. */
  isSpecial(id: number): boolean;
}

/**
 * Build a tokenizer from the content of tokenizer.json and tokenizer_config.json: BPE over bytes or with byte
 * tokens, or Unigram. `clean_up_tokenization_spaces` is not applied, as it is not in streamed text.
 * Throws a StartupError that names what can't be used.
 */
export function createTokenizer(spec: TokenizerSpec): Tokenizer {
  try {
    return tokenizerOf(spec);
  } catch (error) {
    if (error instanceof StartupError) throw error;
    throw new StartupError(`The tokenizer is broken: ${(error as Error).message}`);
  }
}

function tokenizerOf(spec: TokenizerSpec): Tokenizer {
  const { tokenizer } = spec;
  const part = (name: string): Json | null => (tokenizer[name] as Json | null | undefined) ?? null;
  const model = part('model');
  if (!model) throw new StartupError('The tokenizer has no model.');
  const vocabulary = readVocabulary(model);
  const added = addedTokens(spec, vocabulary);
  const spelling = tokenSpelling(part('decoder'));
  const splitting = preTokenization(part('pre_tokenizer'));
  const pieces = pieceModel(model, vocabulary, splitting.byteLevel);
  const pipeline = new EncodingPipeline(added, normalizer(part('normalizer')), splitting, pieces);
  for (const { content, id } of added) vocabulary.set(content, id);
  requireIds(vocabulary);
  return new LoadedTokenizer({
    vocabulary,
    added,
    spelling,
    pipeline,
    byteLevel: splitting.byteLevel,
    unknown: unknownId(model, vocabulary),
    frame: specialFrame(part('post_processor'), vocabulary),
    trimOffsets: offsetTrimmer(part('post_processor')),
  });
}

/** More tokens than any vocabulary has. */
const MOST_IDS = 1 << 24;

function requireIds(vocabulary: ReadonlyMap<string, number>): void {
  for (const [token, id] of vocabulary) {
    if (Number.isInteger(id) && id >= 0 && id < MOST_IDS) continue;
    throw new StartupError(`The tokenizer gives ${JSON.stringify(token.slice(0, 40))} an id that is none.`);
  }
}

interface Parts {
  vocabulary: ReadonlyMap<string, number>;
  added: readonly AddedToken[];
  spelling: TokenSpelling;
  pipeline: EncodingPipeline;
  byteLevel: boolean;
  /** The id of characters that the vocabulary can't write. */
  unknown: number | undefined;
  frame: SpecialFrame;
  trimOffsets: OffsetTrimmer | null;
}

const NO_BYTES = new Uint8Array(0);

class LoadedTokenizer implements Tokenizer {
  readonly vocabSize: number;
  readonly longestToken: number;
  readonly leadingSpaces: number;
  readonly #parts: Parts;
  readonly #tokens: Array<string | undefined> = [];
  readonly #bytes: Array<Uint8Array | undefined> = [];
  readonly #added: ReadonlyMap<number, AddedToken>;

  constructor(parts: Parts) {
    this.#parts = parts;
    for (const [token, id] of parts.vocabulary) this.#tokens[id] = token;
    this.vocabSize = this.#tokens.length;
    this.longestToken = this.#tokens.reduce((most, token) => Math.max(most, token?.length ?? 0), 1);
    this.leadingSpaces = parts.spelling.leadingSpaces;
    this.#added = new Map(parts.added.map((token) => [token.id, token]));
  }

  encode(text: string, addSpecialTokens: boolean): number[] {
    const sink = new IdSink();
    this.#parts.pipeline.run(text, sink);
    const { before, after } = this.#parts.frame;
    return addSpecialTokens ? [...before, ...sink.ids, ...after] : sink.ids;
  }

  encodeWithOffsets(text: string, addSpecialTokens: boolean): { ids: number[]; offsets: TokenOffset[] } {
    const sink = new PlaceSink(text, (id) => this.#width(id));
    this.#parts.pipeline.run(text, sink);
    const { frame, trimOffsets } = this.#parts;
    const offsets = trimOffsets
      ? sink.offsets.map((offset, i) => trimOffsets(offset, this.#tokens[sink.ids[i]!]!, i === 0))
      : sink.offsets;
    if (!addSpecialTokens) return { ids: sink.ids, offsets };
    const nowhere = (ids: readonly number[]): TokenOffset[] => ids.map(() => [0, 0]);
    return {
      ids: [...frame.before, ...sink.ids, ...frame.after],
      offsets: [...nowhere(frame.before), ...offsets, ...nowhere(frame.after)],
    };
  }

  decode(ids: ArrayLike<number>, skipSpecialTokens: boolean): string {
    const parts: Uint8Array[] = [];
    for (let i = 0; i < ids.length; i++) {
      const id = ids[i]!;
      if (!(skipSpecialTokens && this.isSpecial(id))) parts.push(this.bytes(id));
    }
    return withoutLeadingSpaces(decodeLossy(concatBytes(parts)), this.leadingSpaces);
  }

  bytes(id: number): Uint8Array {
    const known = this.#bytes[id];
    if (known) return known;
    const token = this.#tokens[id];
    if (token === undefined) return NO_BYTES;
    const { spelling } = this.#parts;
    const bytes = this.#added.has(id) ? spelling.addedBytes(token) : spelling.bytes(token);
    this.#bytes[id] = bytes;
    return bytes;
  }

  idToToken(id: number): string | undefined {
    return this.#tokens[id];
  }

  tokenToId(token: string): number | undefined {
    return this.#parts.vocabulary.get(token);
  }

  isSpecial(id: number): boolean {
    return this.#added.get(id)?.special ?? false;
  }

  /** UTF-8 bytes of the encoded piece that an id covers; 0 = one character, whatever its length (unknown token). */
  #width(id: number): number {
    const { byteLevel, spelling, unknown } = this.#parts;
    if (id === unknown) return 0;
    const token = this.#tokens[id]!;
    const bytes = spelling.bytes(token);
    if (byteLevel) return bytes.length;
    return bytes.length === 1 && token === byteToken(bytes[0]!) ? 1 : encodeUtf8(token).length;
  }
}

/** What is left of a text after the spaces that encoding had put in front. */
export function withoutLeadingSpaces(text: string, count: number): string {
  let at = 0;
  while (at < count && text[at] === ' ') at++;
  return text.slice(at);
}
