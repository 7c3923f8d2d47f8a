import { StartupError } from '../../errors.js';

type Json = Readonly<Record<string, unknown>>;

/** How text is cut before byte-pair merging, in the terms of a tokenizer.json. */
export interface PreTokenizer {
  normalizer: Json | null;
  preTokenizer: Json;
  /** Take a piece that is a token as it is, without merging. */
  ignoreMerges: boolean;
  /** Whether a BOS token goes in front when the file doesn't say. */
  addBos: boolean;
}

const CONTRACTIONS = "(?i:'s|'t|'re|'ve|'m|'ll|'d)";
const splitPattern = (digits: string): string =>
  `${CONTRACTIONS}|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|${digits}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+`;

const byteLevel = (useRegex: boolean): Json => ({
  type: 'ByteLevel',
  add_prefix_space: false,
  trim_offsets: true,
  use_regex: useRegex,
});
const sequence = (...pretokenizers: Json[]): Json => ({ type: 'Sequence', pretokenizers });
const split = (pattern: string): Json => ({
  type: 'Split',
  pattern: { Regex: pattern },
  behavior: 'Isolated',
  invert: false,
});

const plain = { normalizer: null, ignoreMerges: false, addBos: false };

/** By the value of `tokenizer.ggml.pre`, as llama.cpp names them. */
const PRE_TOKENIZERS: Readonly<Record<string, PreTokenizer>> = {
  'gpt-2': { ...plain, preTokenizer: byteLevel(true) },
  smollm: { ...plain, preTokenizer: sequence({ type: 'Digits', individual_digits: true }, byteLevel(true)) },
  'llama-bpe': {
    ...plain,
    preTokenizer: sequence(split(splitPattern('\\p{N}{1,3}')), byteLevel(false)),
    ignoreMerges: true,
    addBos: true,
  },
  qwen2: {
    ...plain,
    normalizer: { type: 'NFC' },
    preTokenizer: sequence(split(splitPattern('\\p{N}')), byteLevel(false)),
  },
};

/** Throws a StartupError that lists the known names when this one is not among them. */
export function preTokenizer(name: string): PreTokenizer {
  const found = Object.hasOwn(PRE_TOKENIZERS, name) ? PRE_TOKENIZERS[name] : undefined;
  if (found) return found;
  throw new StartupError(
    `The pre-tokenizer "${name}" (tokenizer.ggml.pre) is not supported. Supported: ${Object.keys(PRE_TOKENIZERS).join(', ')}.`,
  );
}
