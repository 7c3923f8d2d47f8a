import { StartupError } from '../errors.js';
import { Bpe, type PieceModel } from './bpe.js';
import { SentencePieceBpe } from './sentencepiece-bpe.js';
import { Unigram } from './unigram.js';

type Json = Readonly<Record<string, unknown>>;

/** The model of a tokenizer.json: BPE or Unigram; or SentencePiece's BPE. Throws a StartupError for another kind. */
export function pieceModel(
  model: Json,
  vocabulary: ReadonlyMap<string, number>,
  byteLevel: boolean,
): PieceModel {
  if (model.type === 'SentencePieceBPE') return new SentencePieceBpe(model, vocabulary);
  if (Array.isArray(model.merges)) return new Bpe(model, vocabulary, byteLevel);
  if (Array.isArray(model.vocab) && !byteLevel) return new Unigram(model, vocabulary);
  throw new StartupError(
    `The tokenizer's model "${String(model.type)}" is not supported. Start with --skip-tokenizer-init to serve token ids alone.`,
  );
}
