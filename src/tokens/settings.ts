import type { EngineInfo } from '../engine/index.js';
import type { GrammarChecker } from '../structured/grammar-checker.js';
import type { Tokenizer } from '../text/tokenizer.js';

/** What generate needs to know of the server. */
export interface GenerateSettings {
  engine: EngineInfo;
  /** Null with `--tokens-only` and `--skip-tokenizer-init`. */
  tokenizer: Tokenizer | null;
  /** The first is the name that answers carry. */
  servedModelNames: readonly string[];
  /** Largest `logprobs` and `prompt_logprobs`; -1 = the whole vocabulary. */
  maxLogprobs: number;
  /** Null without a tokenizer. */
  grammars: GrammarChecker | null;
  returnTokensAsTokenIds: boolean;
  enablePromptTokensDetails: boolean;
  enableTraceReplay: boolean;
  returnSamplingMask: boolean;
  /**
   * Sampling fields of the generation config, under their wire names: for chats and completions that leave them out.
   * Of these generate takes `max_tokens` alone; its other fields have fixed defaults.
   */
  defaultSampling: Readonly<Record<string, number>>;
}
