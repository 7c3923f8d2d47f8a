import type { Logger } from 'pino';
import type { Config } from '../config.js';
import type { Engine } from '../engine/index.js';
import { unavailable } from '../errors.js';
import type { Metrics } from '../observe/metrics.js';
import type { RenderSettings } from '../render/settings.js';
import type { GenerateSettings } from '../tokens/settings.js';
import type { Contract } from './contract.js';
import type { InFlight } from './in-flight.js';
import type { Validator } from './validate.js';
import type { WeightUpdates } from './weight-updates.js';

/** What is there once the model is. */
export interface LoadedModel {
  engine: Engine;
  updates: WeightUpdates;
  settings: GenerateSettings;
}

/** What is there once the model's tokenizer is. */
export interface LoadedText {
  render: RenderSettings;
  /** Where the model came from. */
  source: string;
}

/** What handlers share. The server listens before the model is loaded: parts are null until then. */
export interface ServerState {
  readonly config: Config;
  readonly contract: Contract;
  readonly validator: Validator;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly inFlight: InFlight;
  readonly startedAt: number;
  /** Null until the tokenizer is loaded. */
  text: LoadedText | null;
  /** Null until the engine is ready, and on a server that only renders. */
  loaded: LoadedModel | null;
  shuttingDown: boolean;
}

/** The loaded model; a 503 while there is none. */
export function requireLoaded(state: ServerState): LoadedModel {
  if (!state.loaded) throw unavailable('The model is still loading. Try again in a moment.');
  return state.loaded;
}

/** What render and derender need; a 503 while it is loading. */
export function requireRender(state: ServerState): RenderSettings {
  if (!state.text) throw unavailable('The tokenizer is still loading. Try again in a moment.');
  return state.text.render;
}
