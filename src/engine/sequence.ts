import type { SequenceGrammar } from '../structured/sequence-grammar.js';
import type { EngineRequest, Finish, FinishReason, WeightSpan } from './index.js';
import type { SamplerState } from './sampler.js';

/**
 * A token list and counters. There is no prefill or decode phase: `computed` positions have keys and values in
 * the slot, and each step lets `computed` catch up with `length`.
 */
export class Sequence {
  /** Prompt and output ids; only the first `length` are valid. */
  readonly tokens: Int32Array;
  length: number;
  computed = 0;
  /** Row of the key/value buffers, or null while waiting. */
  slot: number | null = null;
  /** Prompt tokens that came out of the prefix cache at admission. */
  cachedTokens = 0;
  finish: Finish | null = null;
  /** Follows the output of a request with a structured output. */
  grammar: SequenceGrammar | null = null;
  /** True while that is being made. */
  awaitsGrammar = false;
  /** True once an event was sent. */
  announced = false;
  readonly #spans: WeightSpan[] = [];

  constructor(
    readonly request: EngineRequest,
    readonly index: number,
    readonly sampler: SamplerState,
    /** Order of arrival, for first-come scheduling. */
    readonly arrival: number,
    maxModelLen: number,
  ) {
    const { tokenIds, sampling } = request;
    this.tokens = new Int32Array(Math.min(tokenIds.length + sampling.maxTokens, maxModelLen));
    this.tokens.set(tokenIds);
    this.length = tokenIds.length;
  }

  get promptLength(): number {
    return this.request.tokenIds.length;
  }

  get outputLength(): number {
    return this.length - this.promptLength;
  }

  /** Whether positions of the prompt are scored; once for all sequences of a request. */
  get scoresPrompt(): boolean {
    return this.index === 0 && this.#asksForPromptScores;
  }

  /** Prompt scores need the logits of every prompt position, so nothing of the prompt may come from the cache. */
  get readsPrefixCache(): boolean {
    return !this.request.sampling.skipReadingPrefixCache && !this.#asksForPromptScores;
  }

  get #asksForPromptScores(): boolean {
    const { promptLogprobs, promptLogprobTokenIds } = this.request.sampling;
    return promptLogprobs !== null || promptLogprobTokenIds !== null;
  }

  /** Tokens whose keys and values are still to be computed. */
  get pending(): number {
    return this.length - this.computed;
  }

  /** Accept a sampled token under the label of the weights that sampled it. */
  append(token: number, weightVersion: string): void {
    const at = this.outputLength;
    this.tokens[this.length++] = token;
    const last = this.#spans.at(-1);
    if (last?.version === weightVersion) last.end = at + 1;
    else this.#spans.push({ version: weightVersion, start: at, end: at + 1 });
  }

  /** End the sequence; the first reason stays. */
  end(reason: FinishReason, stopReason: number | string | null): Finish {
    this.finish ??= { reason, stopReason, weightVersions: this.#spans.map((span) => ({ ...span })) };
    return this.finish;
  }
}
