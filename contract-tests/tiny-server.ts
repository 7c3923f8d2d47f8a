import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { makeTinyModel, type TinyModelOptions } from '../scripts/make-tiny-model.js';
import { Caller } from './client.js';
import { type RunningServer, startRenderServer, startTito } from './own-server.js';

/** A server of the tiny model; its fields are there once the tests of the group run. */
export interface TinyServer {
  readonly caller: Caller;
  readonly server: RunningServer;
  /** Where the model lies. */
  readonly folder: string;
}

export interface TinyServerOptions {
  model?: TinyModelOptions;
  /** Files beside the model: name to content, written as JSON. */
  beside?: Readonly<Record<string, unknown>>;
  /** Whether it is `tito render-server`. */
  rendersOnly?: boolean;
  /** Environment variables of the server. */
  env?: Readonly<Record<string, string>>;
}

/** Serve the tiny model with these arguments for the tests of the group (or file) that calls this. */
export function tinyServer(args: readonly string[] = [], options: TinyServerOptions = {}): TinyServer {
  const state: { caller?: Caller; server?: RunningServer; folder: string } = { folder: '' };
  beforeAll(async () => {
    state.folder = mkdtempSync(join(tmpdir(), 'tito-tiny-'));
    const model = await makeTinyModel(state.folder, options.model);
    for (const [name, content] of Object.entries(options.beside ?? {})) {
      writeFileSync(join(state.folder, name), JSON.stringify(content));
    }
    const env = { ...options.env, TITO_CACHE: state.folder };
    state.server = options.rendersOnly
      ? await startRenderServer([model, ...args], env)
      : await startTito([model, '--enable-scale-out', ...args], env);
    state.caller = new Caller(state.server.url);
  });
  afterAll(async () => {
    await state.server?.stop();
    rmSync(state.folder, { recursive: true });
  });
  return {
    get caller() {
      return state.caller!;
    },
    get server() {
      return state.server!;
    },
    get folder() {
      return state.folder;
    },
  };
}
