import type { TokenizerSpec } from '../index.js';

/** `SentencePiece.Type` of sentencepiece_model.proto, and values of `tokenizer.ggml.token_type`. */
export const PIECE = { normal: 1, unknown: 2, control: 3, userDefined: 4, unused: 5, byte: 6 } as const;

export interface Piece {
  text: string;
  score: number;
  /** One of PIECE. */
  type: number;
}

/** A SentencePiece vocabulary and how text becomes its pieces. */
export interface SentencePieceVocabulary {
  algorithm: 'bpe' | 'unigram';
  pieces: readonly Piece[];
  unknownId: number | null;
  byteFallback: boolean;
  addDummyPrefix: boolean;
  /** Put the space of `addDummyPrefix` in front of a whole text alone, not of each part behind a special token. */
  prefixFirstOnly: boolean;
  removeExtraWhitespaces: boolean;
  /** Base64 of `precompiled_charsmap`; null = none. */
  characterMap: string | null;
  /** What goes around a text. */
  frame: { before: readonly number[]; after: readonly number[] };
  /** By their names in a tokenizer_config.json. */
  specialTokens: Readonly<Record<string, string>>;
}

/**
 * A SentencePiece vocabulary in the terms of a tokenizer.json. Two parts are not in that format: the model
 * `SentencePieceBPE` and the normaliser `SentencePiece`, which follow SentencePiece to the letter. Control pieces are
 * special added tokens, as everywhere but in SentencePiece itself, which never finds them in a text.
 */
export function sentencePieceSpec(vocabulary: SentencePieceVocabulary): TokenizerSpec {
  const { addDummyPrefix, prefixFirstOnly, removeExtraWhitespaces, characterMap } = vocabulary;
  return {
    tokenizer: {
      version: '1.0',
      truncation: null,
      padding: null,
      added_tokens: addedTokens(vocabulary),
      normalizer: {
        type: 'SentencePiece',
        add_dummy_prefix: addDummyPrefix && !prefixFirstOnly,
        remove_extra_whitespaces: removeExtraWhitespaces,
        precompiled_charsmap: characterMap,
      },
      pre_tokenizer:
        addDummyPrefix && prefixFirstOnly
          ? { type: 'Metaspace', replacement: '▁', prepend_scheme: 'first', split: false }
          : null,
      post_processor: postProcessor(vocabulary),
      decoder: decoder(addDummyPrefix),
      model: vocabulary.algorithm === 'bpe' ? bpe(vocabulary) : unigram(vocabulary),
    },
    config: {
      ...vocabulary.specialTokens,
      clean_up_tokenization_spaces: false,
      model_max_length: Number.MAX_SAFE_INTEGER,
    },
  };
}

function bpe({ pieces, unknownId, byteFallback }: SentencePieceVocabulary): object {
  const merged = (type: number): boolean => type === PIECE.normal || type === PIECE.userDefined;
  return {
    type: 'SentencePieceBPE',
    vocab: Object.fromEntries(pieces.map(({ text }, id) => [text, id])),
    scores: pieces.map(({ score, type }) => (merged(type) ? score : null)),
    user_defined: pieces.filter(({ type }) => type === PIECE.userDefined).map(({ text }) => text),
    unk_token: unknownId === null ? null : (pieces[unknownId]?.text ?? null),
    byte_fallback: byteFallback,
  };
}

function unigram({ pieces, unknownId, byteFallback }: SentencePieceVocabulary): object {
  return {
    type: 'Unigram',
    vocab: pieces.map(({ text, score }) => [text, score]),
    unk_id: unknownId,
    byte_fallback: byteFallback,
  };
}

function addedTokens({ pieces, algorithm }: SentencePieceVocabulary): object[] {
  return pieces.flatMap(({ text: content, type }, id) => {
    const special = type === PIECE.control || type === PIECE.unknown;
    const isAdded = special || (type === PIECE.userDefined && algorithm === 'unigram');
    return isAdded
      ? [{ id, content, single_word: false, lstrip: false, rstrip: false, normalized: false, special }]
      : [];
  });
}

function decoder(addDummyPrefix: boolean): object {
  const steps = [
    { type: 'Replace', pattern: { String: '▁' }, content: ' ' },
    { type: 'ByteFallback' },
    { type: 'Fuse' },
  ];
  const strip = { type: 'Strip', content: ' ', start: 1, stop: 0 };
  return { type: 'Sequence', decoders: addDummyPrefix ? [...steps, strip] : steps };
}

function postProcessor({ pieces, frame }: SentencePieceVocabulary): object {
  const token = (id: number): object => ({ SpecialToken: { id: pieces[id]!.text, type_id: 0 } });
  const single = [
    ...frame.before.map(token),
    { Sequence: { id: 'A', type_id: 0 } },
    ...frame.after.map(token),
  ];
  return {
    type: 'TemplateProcessing',
    single,
    pair: [...single, { Sequence: { id: 'B', type_id: 1 } }],
    special_tokens: Object.fromEntries(
      [...frame.before, ...frame.after].map((id) => {
        const { text } = pieces[id]!;
        return [text, { id: text, ids: [id], tokens: [text] }];
      }),
    ),
  };
}
