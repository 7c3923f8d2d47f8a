/** Messages between the server's process and an engine process, over Node's IPC channel (structured clone). */
import type { ModelConfig } from '../model/index.js';
import type { RuntimeBackend } from '../runtime/session.js';
import type { GrammarVocabulary } from '../structured/index.js';
import type { CoreEvent, CoreOptions } from './engine-core.js';
import type { EngineRequest, EngineStats, PauseMode } from './index.js';
import type { SamplerOptions } from './sampler.js';

export interface RankOptions extends Omit<CoreOptions, 'eosIds'>, SamplerOptions {
  graphPath: string;
  config: ModelConfig;
  /** Sequences that may run at once. */
  maxNumSeqs: number;
  threads: number;
  /** Whether answers tell of routed experts. */
  routedExperts: boolean;
  backend: RuntimeBackend;
}

/** A call that is answered with `returned`. */
export type RankCall =
  | { method: 'pause'; mode: PauseMode; clearCache: boolean }
  | { method: 'resume' }
  | { method: 'setWeightVersion'; version: string }
  | { method: 'loadWeights'; graphPath: string }
  | { method: 'dropWeights' }
  | { method: 'swapWeights'; version: string }
  | { method: 'resetPrefixCache' };

export type ToRank =
  | { type: 'start'; options: RankOptions }
  /** Comes before the first request with a structured output. */
  | { type: 'vocabulary'; vocabulary: GrammarVocabulary }
  | { type: 'submit'; request: EngineRequest }
  | { type: 'abort'; id: string }
  | { type: 'end'; id: string; index: number }
  | { type: 'call'; number: number; call: RankCall }
  | { type: 'close' };

export type FromRank =
  | { type: 'ready' }
  | { type: 'failed'; message: string }
  | { type: 'events'; events: readonly CoreEvent[] /** Now and then. */; stats: EngineStats | null }
  | { type: 'returned'; number: number; error: string | null };
