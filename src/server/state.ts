import type { Logger } from 'pino';
import type { Config } from '../config.js';
import type { Engine } from '../engine/index.js';
import { unavailable } from '../errors.js';
import type { Metrics } from '../observe/metrics.js';
import type { GenerateSettings } from '../tokens/settings.js';
import type { Contract } from './contract.js';
import type { InFlight } from './in-flight.js';

/** What is there once the model is. */
export interface LoadedModel {
  engine: Engine;
  settings: GenerateSettings;
  /** Where the weights came from. */
  source: string;
}

/** What handlers share. The server listens before the model is loaded: `loaded` is null until then. */
export interface ServerState {
  readonly config: Config;
  readonly contract: Contract;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly inFlight: InFlight;
  readonly startedAt: number;
  loaded: LoadedModel | null;
  shuttingDown: boolean;
}

/** The loaded model; a 503 while there is none. */
export function requireLoaded(state: ServerState): LoadedModel {
  if (!state.loaded) throw unavailable('The model is still loading. Try again in a moment.');
  return state.loaded;
}
