import { join } from 'node:path';
import { StartupError } from '../errors.js';
import { BUILDER_VERSION, type BuiltModel, buildModel, GRAPH_FILE } from './build-model.js';
import { GgufFile } from './gguf/gguf-file.js';
import type { ModelArtifact, ModelDtype } from './index.js';
import { defaultCacheDir, finishedFolder } from './model-cache.js';
import { type Progress, silentProgress } from './progress.js';
import { sourceRecord } from './source-record.js';

export interface LoadOptions {
  /** `auto` keeps about the source's own precision. Default: auto. */
  dtype?: ModelDtype | 'auto';
  /** Default: `TITO_CACHE`, or `tito` in the user's cache folder. */
  cacheDir?: string;
  progress?: Progress;
}

/**
 * A model ready to run: its graph is built once a source, precision and builder version, then found in the cache.
 * `source` is the path of a .gguf file. Throws a StartupError that says what to do.
 */
export async function loadModel(
  source: string | undefined,
  options: LoadOptions = {},
): Promise<ModelArtifact> {
  const { cacheDir = defaultCacheDir(), progress = silentProgress, dtype = 'auto' } = options;
  if (!source?.endsWith('.gguf')) {
    throw new StartupError(`The model "${source}" can't be loaded: give the path of a .gguf file.`);
  }
  const { sha256 } = await sourceRecord(source, cacheDir);
  const folder = join(cacheDir, 'graphs', `${sha256.slice(0, 32)}-v${BUILDER_VERSION}-${dtype}`);
  const built = await finishedFolder<BuiltModel>(folder, async (temporary) => {
    const file = await GgufFile.open(source);
    try {
      return await buildModel(file, temporary, dtype === 'auto' ? 'float32' : dtype, progress);
    } finally {
      await file.close();
    }
  });
  return { ...built, source, graphPath: join(folder, GRAPH_FILE) };
}
