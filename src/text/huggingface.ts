import * as library from '@huggingface/tokenizers';

type Json = Readonly<Record<string, unknown>>;

/**
 * The parts of @huggingface/tokenizers that are used. Its declarations leave file extensions out, so TypeScript
 * can't follow them from an ES module.
 */
interface Library {
  SequenceNormalizer: new (config: { normalizers: readonly Json[] }) => { normalize(text: string): string };
  /** `pattern` is the configured one in JavaScript's syntax; null when the configuration has none. */
  SplitPreTokenizer: new (config: {
    pattern: Json;
    behavior: 'Isolated';
  }) => { pattern: RegExp | null };
  SequencePostProcessor: new (config: {
    processors: readonly Json[];
  }) => {
    post_process(tokens: string[], pair: null, addSpecialTokens: boolean): { tokens: string[] };
  };
}

export const { SequenceNormalizer, SplitPreTokenizer, SequencePostProcessor } = library as unknown as Library;
