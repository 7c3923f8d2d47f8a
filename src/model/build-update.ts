import { join } from 'node:path';
import { writeGraph } from './build-model.js';
import { GRAPH_FILE } from './built-model.js';
import { Overlay } from './checkpoint/overlay.js';
import { describeModel } from './gguf/describe.js';
import { decoderWeights } from './graph/decoder-weights.js';
import type { ModelDtype } from './index.js';
import { type ModelSource, openSource } from './model-source.js';
import { silentProgress } from './progress.js';
import { Weights } from './weights.js';

/** New weights of a model: checkpoint files over its own, oldest first. */
export interface UpdateJob {
  /** Path of the model's source. */
  model: string;
  files: readonly string[];
  dtype: ModelDtype;
  /** Where the graph is built; created. */
  directory: string;
}

/** Check that checkpoint files fit a model. Throws a StartupError that names what does not. */
export async function checkUpdate({ model, files }: Pick<UpdateJob, 'model' | 'files'>): Promise<void> {
  await withOverlay(model, files, async () => {});
}

/** Build the graph of a model with newer weights. Returns its path. Throws a StartupError as above. */
export async function buildUpdate({ model, files, dtype, directory }: UpdateJob): Promise<string> {
  await withOverlay(model, files, async (source, overlay) => {
    const described = describeModel(source);
    const weights = decoderWeights(described.architecture, described.shape, new Weights(overlay));
    await writeGraph(directory, described, weights, dtype, silentProgress);
  });
  return join(directory, GRAPH_FILE);
}

async function withOverlay(
  model: string,
  files: readonly string[],
  work: (source: ModelSource, overlay: Overlay) => Promise<void>,
): Promise<void> {
  const source = await openSource(model);
  const overlay = new Overlay(source, describeModel(source).architecture);
  try {
    for (const path of files) await overlay.add(path);
    await work(source, overlay);
  } finally {
    await overlay.close();
    await source.close();
  }
}
