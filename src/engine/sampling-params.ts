import type { StructuredOutput } from '../structured/index.js';

/**
 * What one request asks of the sampler, fully resolved: no field is "absent" here. The server resolves
 * defaults (generation config, model length) before a request reaches the engine.
 */
export interface SamplingParams {
  /** Number of sequences to sample from the prompt, ≥ 1. */
  n: number;
  /** Most tokens to generate for each sequence, ≥ 1. */
  maxTokens: number;
  /** No stop id or EOS may be sampled before this many output tokens. */
  minTokens: number;
  /** 0 = greedy; values in (0, 0.01) are raised to 0.01. */
  temperature: number;
  /** (0, 1]; 1 = off. */
  topP: number;
  /** 0 = off. */
  topK: number;
  /** [0, 1]; 0 = off. */
  minP: number;
  /** null = unseeded (each sequence draws its own). 64 bits, read from the digits sent. */
  seed: bigint | null;
  presencePenalty: number;
  frequencyPenalty: number;
  /** > 0; 1 = off. Applies to prompt and output tokens. */
  repetitionPenalty: number;
  /** Added to logits before sampling, already clamped to ±100. */
  logitBias: ReadonlyArray<readonly [id: number, bias: number]>;
  /** null = every id. */
  allowedTokenIds: readonly number[] | null;
  /** Token sequences that may not be completed. */
  badWords: ReadonlyArray<readonly number[]>;
  stopTokenIds: readonly number[];
  ignoreEos: boolean;
  /** null = none; 0 = the sampled token only; k = top k as well; -1 = the whole vocabulary. */
  logprobs: number | null;
  /** The same for prompt positions. */
  promptLogprobs: number | null;
  /** Score exactly these ids beside the sampled one. */
  logprobTokenIds: readonly number[] | null;
  /**
   * Row i holds the ids to score as predictions of prompt token `promptLogprobStart + i + 1`; rows are equally
   * long, negative ids are padding.
   */
  promptLogprobTokenIds: ReadonlyArray<readonly number[]> | null;
  promptLogprobStart: number;
  /** Force these output ids, reporting their real logprobs. */
  traceDecodeTokenIds: readonly number[] | null;
  repetitionDetection: RepetitionDetection | null;
  structuredOutput: StructuredOutput | null;
  skipReadingPrefixCache: boolean;
  /** First prompt position whose experts are told. */
  routedExpertsPromptStart: number;
}

/** Ends a sequence whose tail is one pattern over and over. */
export interface RepetitionDetection {
  /** Longest pattern looked for, in tokens. */
  maxPatternSize: number;
  /** Shortest pattern looked for, in tokens. */
  minPatternSize: number;
  /** Repeats that end the sequence. */
  minCount: number;
}

/** Every field at its neutral value: sampling from the plain distribution, `maxTokens` 16. */
export const DEFAULT_SAMPLING_PARAMS: SamplingParams = {
  n: 1,
  maxTokens: 16,
  minTokens: 0,
  temperature: 1,
  topP: 1,
  topK: 0,
  minP: 0,
  seed: null,
  presencePenalty: 0,
  frequencyPenalty: 0,
  repetitionPenalty: 1,
  logitBias: [],
  allowedTokenIds: null,
  badWords: [],
  stopTokenIds: [],
  ignoreEos: false,
  logprobs: null,
  promptLogprobs: null,
  logprobTokenIds: null,
  promptLogprobTokenIds: null,
  promptLogprobStart: 0,
  traceDecodeTokenIds: null,
  repetitionDetection: null,
  structuredOutput: null,
  skipReadingPrefixCache: false,
  routedExpertsPromptStart: 0,
};
