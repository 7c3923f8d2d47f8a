import { stat } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { StartupError } from '../errors.js';
import { DEFAULT_MODEL, fetchedModel } from './fetch/default-model.js';
import { hubCacheDir } from './fetch/hub-cache.js';
import { parseHubName } from './fetch/hub-name.js';
import { defaultCacheDir } from './model-cache.js';
import type { Progress } from './progress.js';

/** Where a model lies on this machine. */
export interface LocalSource {
  /** A file, or a folder. */
  path: string;
  /** What it is called: its name on the hub, else that of its file or folder. */
  name: string;
}

export interface SourceOptions {
  /** Of a hub name: branch, tag or commit; undefined = main. */
  revision: string | undefined;
  /** Undefined = as the environment says. */
  cacheDir: string | undefined;
  progress: Progress;
  /** Whether weights are wanted; see `HubJob`. */
  weights: boolean;
}

/**
 * Find a model: undefined or "default" is the default model; a path that exists is itself; else a name on the Hugging
 * Face hub, `ORG/NAME[:FILE.gguf or quantisation]`, fetched into the cache. Throws a StartupError that says what to do.
 */
export async function localSource(source: string | undefined, options: SourceOptions): Promise<LocalSource> {
  const { revision, progress } = options;
  if (source === undefined || source === 'default') {
    const path = await fetchedModel(DEFAULT_MODEL, options.cacheDir ?? defaultCacheDir(), progress);
    return { path, name: DEFAULT_MODEL.name };
  }
  if (await exists(source)) return { path: source, name: nameOf(source) };
  const name = parseHubName(source);
  if (!name) throw new StartupError(unknownSource(source));
  const { hubModel } = await import('./fetch/hub-model.js');
  const cacheDir = hubCacheDir(options.cacheDir ?? (process.env.TITO_CACHE ? defaultCacheDir() : null));
  const job = { name, revision: revision ?? 'main', cacheDir, weights: options.weights, progress };
  const path = await hubModel(job).catch((error: Error) => {
    if (!(error instanceof StartupError) || name.variant !== null) throw error;
    throw new StartupError(
      `There is no file or folder ${source} here, so it is taken for a name on the hub. ${error.message}`,
    );
  });
  return { path, name: name.repository };
}

function unknownSource(source: string): string {
  const what = source === '' ? 'No model is named' : `There is no file or folder ${source}`;
  return (
    `${what}. Give the path of a .gguf file or of a model's folder, a name on the Hugging Face hub ` +
    `(ORG/NAME, or ORG/NAME:FILE.gguf), or leave it out to serve ${DEFAULT_MODEL.name}.`
  );
}

/** `…/SmolLM2-135M-Instruct.Q4_1.gguf` is called `SmolLM2-135M-Instruct`. */
function nameOf(path: string): string {
  return basename(resolve(path)).replace(/(\.(I?Q\d\w*|B?F\d+))?\.gguf$/i, '');
}

function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => path !== '',
    () => false,
  );
}
