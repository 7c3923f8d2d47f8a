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

/** What the o200k vocabulary splits on, and with other ends its relatives. */
const caseSplitPattern = (contractions: string, digits: string): string =>
  `[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]*[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]+${contractions}|` +
  `[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]+[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]*${contractions}|` +
  `${digits}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+`;

const plain = { normalizer: null, ignoreMerges: false, addBos: false };

const gpt2: PreTokenizer = { ...plain, preTokenizer: byteLevel(true) };
const singleDigits: PreTokenizer = {
  ...plain,
  preTokenizer: sequence({ type: 'Digits', individual_digits: true }, byteLevel(true)),
};
const splitting = (pattern: string): PreTokenizer => ({
  ...plain,
  preTokenizer: sequence(split(pattern), byteLevel(false)),
});
const threeDigits = splitting(splitPattern('\\p{N}{1,3}'));
const llama3: PreTokenizer = { ...threeDigits, ignoreMerges: true, addBos: true };
const qwen2: PreTokenizer = { ...splitting(splitPattern('\\p{N}')), normalizer: { type: 'NFC' } };

/** By the value of `tokenizer.ggml.pre`, as llama.cpp names them. */
const PRE_TOKENIZERS: Readonly<Record<string, PreTokenizer>> = {
  'gpt-2': gpt2,
  olmo: gpt2,
  'phi-2': gpt2,
  smollm: singleDigits,
  starcoder: singleDigits,
  refact: singleDigits,
  'command-r': singleDigits,
  'llama-bpe': llama3,
  llama3,
  'llama-v3': llama3,
  dbrx: threeDigits,
  'smaug-bpe': threeDigits,
  qwen2,
  'deepseek-r1-qwen': qwen2,
  'gpt-4o': splitting(caseSplitPattern(`${CONTRACTIONS}?`, '\\p{N}{1,3}')),
  tekken: { ...splitting(caseSplitPattern('', '\\p{N}')), ignoreMerges: true, addBos: true },
};

/** Throws a StartupError that lists the known names when this one is not among them. */
export function preTokenizer(name: string): PreTokenizer {
  const found = Object.hasOwn(PRE_TOKENIZERS, name) ? PRE_TOKENIZERS[name] : undefined;
  if (found) return found;
  throw new StartupError(
    `The pre-tokenizer "${name}" (tokenizer.ggml.pre) is not supported. Supported: ${Object.keys(PRE_TOKENIZERS).join(', ')}.`,
  );
}
