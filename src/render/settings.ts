import type { ChatTemplate } from '../text/chat-template.js';
import type { TextEncoder } from '../text/text-encoding.js';
import type { Tokenizer } from '../text/tokenizer.js';
import type { ReasoningParser, ToolParser } from './parsers/parser.js';

/** How templates want the content of a message: as one text, or as a list of parts. */
export type ContentFormat = 'string' | 'openai';

/** What render and derender need to know of the server. */
export interface RenderSettings {
  /** Null with `--tokens-only` and `--skip-tokenizer-init`. */
  text: TextTools | null;
  servedModelNames: readonly string[];
  /** Longest prompt and output together, in tokens. */
  maxModelLen: number;
  /** Sampling fields of requests that leave them out, under their wire names. */
  defaultSampling: Readonly<Record<string, number>>;
  /** Most tokens of a rendered request, whatever it asks for; null = no such limit. */
  maxTokensLimit: number | null;
  /** The model's primary end-of-sequence token; null when it has none. */
  eosId: number | null;
  /** Largest `top_logprobs`; -1 = the whole vocabulary. */
  maxLogprobs: number;
  parsers: OutputParsers;
}

export interface TextTools {
  tokenizer: Tokenizer;
  /** Encodes off the event loop what would hold it up. */
  encoder: TextEncoder;
  templates: Templates;
  /** Ids that derendered text leaves out unless a request keeps special tokens. */
  hiddenIds: ReadonlySet<number>;
}

export interface Templates {
  /** The model's or the operator's; null when there is none. */
  own: ChatTemplate | null;
  /** Compile a template that a request brings. Throws a 400. */
  compile(source: string): ChatTemplate;
  /** Whether requests may bring templates. */
  trustRequests: boolean;
  /** Null = as the template uses it. */
  contentFormat: ContentFormat | null;
  /** Template variables that requests may override. */
  variables: Readonly<Record<string, unknown>>;
}

export interface OutputParsers {
  tool: ToolParser | null;
  /** Whether `tool_choice: "auto"` is served. */
  autoToolChoice: boolean;
  reasoning: ReasoningParser | null;
}
