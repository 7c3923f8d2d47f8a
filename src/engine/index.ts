/**
 * The engine as the server sees it: token ids in, token events out. It knows nothing of HTTP, JSON or text.
 * Two implementations: `local.ts` (engine processes on this machine) and `fake.ts` (scripted, for tests).
 */
import type { RoutedExperts } from './expert-record.js';
import type { SamplingParams } from './sampling-params.js';

export type { RoutedExperts } from './expert-record.js';
export type { RepetitionDetection, SamplingParams } from './sampling-params.js';
export { DEFAULT_SAMPLING_PARAMS } from './sampling-params.js';

export interface EngineRequest {
  /** Unique to this submission; not the caller's request id, which may be reused in flight. */
  id: string;
  tokenIds: Int32Array;
  sampling: SamplingParams;
  /** Lower runs first under `--scheduling-policy priority`. */
  priority: number;
  /** Prefixes are shared only between requests of equal salt. */
  cacheSalt: string | null;
  /** Data-parallel rank to run on; null = the least loaded. */
  rank: number | null;
}

/** Scores of one position: parallel arrays; for output positions entry 0 is the sampled token. */
export interface PositionLogprobs {
  ids: Int32Array;
  /** Natural-log probabilities; -Infinity and NaN are possible and are floored at the wire, not here. */
  values: Float32Array;
  /** 1 + the number of tokens that score higher; 0 = cannot be ranked (NaN). */
  ranks: Int32Array;
}

/** The label of the weights that sampled output tokens [start, end) of a sequence. */
export interface WeightSpan {
  version: string;
  start: number;
  end: number;
}

export type FinishReason = 'stop' | 'length' | 'abort' | 'repetition' | 'error';

export interface Finish {
  reason: FinishReason;
  /** The stop token id that matched, 'repetition_detected', or null (EOS, length, abort). */
  stopReason: number | string | null;
  /** Contiguous spans over the whole output; empty when no token was sampled. */
  weightVersions: WeightSpan[];
  /**
   * Where the computed positions from `routedExpertsPromptStart` on were sent: all but the last token. Not there when it
   * isn't recorded, nothing was computed, or the sequence failed.
   */
  routedExperts?: RoutedExperts;
}

/** Something new about one sequence of a request. The last event of each index has `finish` set. */
export interface SequenceEvent {
  /** 0 … n-1. */
  index: number;
  tokenIds: number[];
  /** One entry a token when logprobs were asked for, else null. */
  logprobs: PositionLogprobs[] | null;
  /** For each new token the ids it could have been, when sampling masks are on. */
  samplingMask: Int32Array[] | null;
  finish: Finish | null;
  /** On the first event of index 0 only. */
  prompt: PromptInfo | null;
}

export interface PromptInfo {
  /** Prompt tokens whose keys and values came from the prefix cache. */
  cachedTokens: number;
  /** Entry 0 is null (nothing precedes the first token); null when not asked for. */
  logprobs: Array<PositionLogprobs | null> | null;
  /** Row-major [rows, ids] scores of `promptLogprobTokenIds`; null when not asked for. */
  tokenIdScores: { rows: number; columns: number; values: Float32Array } | null;
}

/** A running request. Iterate it once; leaving the loop early aborts what still runs. */
export interface Generation extends AsyncIterable<SequenceEvent> {
  /** End one sequence early, as when a stop string matched: its final event has reason 'abort'. */
  end(index: number): void;
}

export interface EngineStats {
  /** Sequences decoding or prefilling. */
  running: number;
  /** Sequences that wait for a slot. */
  waiting: number;
  /** Share of key/value positions in use, 0 … 1. */
  kvUsage: number;
  /** Tokens processed so far. */
  promptTokens: number;
  generationTokens: number;
  prefixQueries: number;
  prefixHits: number;
  preemptions: number;
  /** Times that tokens were guessed; how many tokens; how many of them were as sampled. */
  drafts: number;
  draftTokens: number;
  acceptedTokens: number;
}

export type EngineState = 'starting' | 'ready' | 'dead';

export type PauseMode = 'abort' | 'wait' | 'keep';

export interface Engine {
  readonly state: EngineState;
  /** Fixed once ready. */
  readonly info: EngineInfo;
  /** Resolves when every rank is ready; rejects with the reason when one can't start. */
  ready(): Promise<void>;
  /**
   * Submit a request. Aborting the signal ends every unfinished sequence with reason 'abort' and its partial
   * output. Throws an `EngineUnavailable` before the first event when paused, full, or dead.
   */
  generate(request: EngineRequest, signal: AbortSignal): Generation;
  stats(): EngineStats;
  /** Label that tokens sampled from now on carry. */
  weightVersion(): string;
  setWeightVersion(version: string): Promise<void>;
  /** Load a graph of the same model with other weights beside the ones in use; rejects when it can't be loaded. */
  loadWeights(graphPath: string): Promise<void>;
  /**
   * Between two steps, go over to the loaded weights under a new label. Running requests keep their keys and
   * values; cached prefixes of other labels are not reused.
   */
  swapWeights(version: string): Promise<void>;
  pause(mode: PauseMode, clearCache: boolean): Promise<void>;
  resume(): Promise<void>;
  isPaused(): boolean;
  resetPrefixCache(): Promise<void>;
  /** Stop admitting, let running requests finish for up to `graceMs`, abort the rest, end the processes. */
  close(graceMs: number): Promise<void>;
}

export interface EngineInfo {
  vocabSize: number;
  /** Prompt + output tokens of one sequence. */
  maxModelLen: number;
  /** Sequences that may run at once, per rank. */
  maxNumSeqs: number;
  ranks: number;
  /** Most bytes that keys and values can take, on all ranks. */
  kvBytes: number;
  dtype: string;
}
