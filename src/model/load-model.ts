import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { BUILDER_VERSION, type BuiltModel, GRAPH_FILE } from './built-model.js';
import { kernelNeeds, variantOf } from './cpu-kernels.js';
import type { ModelArtifact, ModelDescription, ModelDtype } from './index.js';
import { defaultCacheDir, finishedFolder } from './model-cache.js';
import { type Progress, silentProgress } from './progress.js';
import { remembered } from './remembered.js';
import { localSource, type SourceOptions } from './source.js';
import { sourceHash } from './source-hash.js';

export interface LoadOptions {
  /** `auto` keeps about the source's own precision. Default: auto. */
  dtype?: ModelDtype | 'auto';
  /** Branch, tag or commit of a model on the hub. Default: main. */
  revision?: string;
  /** Default: `TITO_CACHE`, or `tito` in the user's cache folder. */
  cacheDir?: string;
  /** Default: silent. */
  progress?: Progress;
}

/**
 * A model ready to run. Its graph is built once for each source, precision and builder version, then found in the
 * cache. `source` is as `localSource` takes it: a path, a name on the hub, or undefined for the default model. Throws a
 * StartupError that says what to do.
 */
export async function loadModel(
  source: string | undefined,
  options: LoadOptions = {},
): Promise<ModelArtifact> {
  const { cacheDir = defaultCacheDir(), progress = silentProgress, dtype = 'auto' } = options;
  const { path, name } = await localSource(source, sourceOptions(options, true));
  const sha256 = await sourceHash(path, cacheDir);
  const graphs = join(cacheDir, 'graphs', `${sha256.slice(0, 32)}-v${BUILDER_VERSION}`);
  const chosen =
    dtype === 'auto'
      ? await finishedFolder(`${graphs}-auto`, async () => (await builder()).ownDtype(path))
      : dtype;
  const folder = `${graphs}-${chosen}${variantOf(chosen, kernelNeeds())}`;
  const built = await finishedFolder<BuiltModel>(folder, async (temporary) =>
    (await builder()).buildModel(path, temporary, chosen, progress),
  );
  return { ...built, source: path, name, graphPath: join(folder, GRAPH_FILE) };
}

/** A model without its weights, read from its file's header, or remembered. Sources and errors are those of `loadModel`. */
export async function describeSource(
  source: string | undefined,
  options: Omit<LoadOptions, 'dtype'> = {},
): Promise<ModelDescription> {
  const { cacheDir = defaultCacheDir() } = options;
  const { path, name } = await localSource(source, sourceOptions(options, false));
  const describe = async (place: string): Promise<Omit<ModelDescription, 'name'>> =>
    (await import('./describe-file.js')).describeFile(place);
  // A folder's times don't tell of changes inside its files, and its config.json is read in no time.
  const isFolder = (await stat(path)).isDirectory();
  const kind = `descriptions-v${BUILDER_VERSION}`;
  const described = isFolder ? await describe(path) : await remembered(path, { cacheDir, kind }, describe);
  return { ...described, name };
}

function sourceOptions(
  { revision, cacheDir, progress = silentProgress }: LoadOptions,
  weights: boolean,
): SourceOptions {
  return { revision, cacheDir, progress, weights };
}

/** Imported only when there is something to build: a start from the cache is quicker without. */
function builder(): Promise<typeof import('./build-model.js')> {
  return import('./build-model.js');
}
