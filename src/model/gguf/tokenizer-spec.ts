import { StartupError } from '../../errors.js';
import type { TokenizerSpec } from '../index.js';
import { PIECE, sentencePieceSpec } from '../tokenizer/sentencepiece-spec.js';
import type { Metadata } from './metadata.js';
import { type PreTokenizer, preTokenizer } from './pre-tokenizers.js';

/**
 * The tokenizer of a GGUF file as tokenizer.json and tokenizer_config.json would describe it, or null when the
 * file brings none. Throws a StartupError for a kind that can't be expressed, or for more tokens than `vocabSize`.
 */
export function tokenizerSpec(metadata: Metadata, vocabSize: number): TokenizerSpec | null {
  const model = metadata.optionalString('tokenizer.ggml.model');
  if (model === null || model === 'no_vocab') return null;
  if (model !== 'gpt2' && model !== 'llama') {
    throw new StartupError(
      `The tokenizer "${model}" (tokenizer.ggml.model) is not supported. Supported: gpt2, llama.`,
    );
  }
  const tokens = metadata.strings('tokenizer.ggml.tokens');
  if (tokens.length > vocabSize) {
    throw new StartupError(
      `The tokenizer has ${tokens.length} tokens, but the model's embedding only ${vocabSize} rows.`,
    );
  }
  if (model === 'llama') return sentencePiece(metadata, tokens);
  const pre = preTokenizer(metadata.optionalString('tokenizer.ggml.pre') ?? 'gpt-2');
  const special = specialTokens(metadata, tokens);
  return {
    tokenizer: {
      version: '1.0',
      truncation: null,
      padding: null,
      added_tokens: addedTokens(metadata, tokens),
      normalizer: pre.normalizer,
      pre_tokenizer: pre.preTokenizer,
      post_processor: postProcessor(metadata, pre, tokens),
      decoder: { type: 'ByteLevel', add_prefix_space: true, trim_offsets: true, use_regex: true },
      model: {
        type: 'BPE',
        dropout: null,
        unk_token: null,
        continuing_subword_prefix: '',
        end_of_word_suffix: '',
        fuse_unk: false,
        byte_fallback: false,
        ignore_merges: pre.ignoreMerges,
        vocab: Object.fromEntries(tokens.map((token, id) => [token, id])),
        merges: merges(metadata),
      },
    },
    config: { ...special, clean_up_tokenization_spaces: false, model_max_length: Number.MAX_SAFE_INTEGER },
  };
}

/** SentencePiece's BPE, as llama.cpp reads it: Llama 2, Mistral, Gemma, Phi-3. */
function sentencePiece(metadata: Metadata, tokens: readonly string[]): TokenizerSpec {
  const scores = metadata.numbers('tokenizer.ggml.scores');
  const types = metadata.numbers('tokenizer.ggml.token_type');
  if (scores.length < tokens.length || types.length < tokens.length) {
    throw new StartupError(
      'The tokenizer has fewer scores or token types than tokens: the file is incomplete.',
    );
  }
  const flag = (key: string, otherwise: boolean): boolean =>
    metadata.optionalBoolean(`tokenizer.ggml.${key}`) ?? otherwise;
  const pieces = tokens.map((token, id) => {
    const type = types[id]!;
    // Converters write some user-defined pieces with plain spaces.
    const text = type === PIECE.userDefined ? token.replaceAll(' ', '▁') : token;
    return { text, score: scores[id]!, type };
  });
  return sentencePieceSpec({
    algorithm: 'bpe',
    pieces,
    unknownId: metadata.optionalNumber('tokenizer.ggml.unknown_token_id'),
    byteFallback: types.includes(PIECE.byte),
    addDummyPrefix: flag('add_space_prefix', true),
    prefixFirstOnly: false,
    removeExtraWhitespaces: flag('remove_extra_whitespaces', false),
    characterMap: null,
    frame: {
      before: around(metadata, tokens, 'bos', true).map(({ id }) => id),
      after: around(metadata, tokens, 'eos', false).map(({ id }) => id),
    },
    specialTokens: specialTokens(metadata, tokens),
  });
}

function specialTokens(metadata: Metadata, tokens: readonly string[]): Record<string, string> {
  const keys = { bos_token: 'bos', eos_token: 'eos', unk_token: 'unknown', pad_token: 'padding' };
  const found: Record<string, string> = {};
  for (const [name, key] of Object.entries(keys)) {
    const id = metadata.optionalNumber(`tokenizer.ggml.${key}_token_id`);
    const token = id === null ? undefined : tokens[id];
    if (token !== undefined) found[name] = token;
  }
  return found;
}

function addedTokens(metadata: Metadata, tokens: readonly string[]): object[] {
  const types = metadata.numbers('tokenizer.ggml.token_type');
  const added: object[] = [];
  for (const [id, content] of tokens.entries()) {
    const type = types[id];
    if (type !== PIECE.control && type !== PIECE.userDefined) continue;
    const special = type === PIECE.control;
    added.push({ id, content, single_word: false, lstrip: false, rstrip: false, normalized: false, special });
  }
  return added;
}

/** "a b" → ["a", "b"]; neither half holds a space, since byte-level tokens write it otherwise. */
function merges(metadata: Metadata): string[][] {
  return metadata.strings('tokenizer.ggml.merges').map((merge) => {
    const at = merge.indexOf(' ', 1);
    return [merge.slice(0, at), merge.slice(at + 1)];
  });
}

/** Puts BOS in front and EOS behind where the file asks for it. */
function postProcessor(metadata: Metadata, pre: PreTokenizer, tokens: readonly string[]): object {
  const before = around(metadata, tokens, 'bos', pre.addBos);
  const behind = around(metadata, tokens, 'eos', false);
  const sequenceOf = (id: string, type: number): object[] => [
    ...before.map(({ token }) => ({ SpecialToken: { id: token, type_id: type } })),
    { Sequence: { id, type_id: type } },
    ...behind.map(({ token }) => ({ SpecialToken: { id: token, type_id: type } })),
  ];
  return {
    type: 'TemplateProcessing',
    single: sequenceOf('A', 0),
    pair: [...sequenceOf('A', 0), ...sequenceOf('B', 1)],
    special_tokens: Object.fromEntries(
      [...before, ...behind].map(({ id, token }) => [token, { id: token, ids: [id], tokens: [token] }]),
    ),
  };
}

/** The token of this role, when the file or, where it doesn't say, `wanted` puts it around texts. */
function around(
  metadata: Metadata,
  tokens: readonly string[],
  key: 'bos' | 'eos',
  wanted: boolean,
): Array<{ id: number; token: string }> {
  const id = metadata.optionalNumber(`tokenizer.ggml.${key}_token_id`);
  const token = id === null ? undefined : tokens[id];
  const asked = metadata.optionalBoolean(`tokenizer.ggml.add_${key}_token`) ?? wanted;
  return asked && id !== null && token !== undefined ? [{ id, token }] : [];
}
