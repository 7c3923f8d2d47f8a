import { buildGraph } from './build-model.js';
import { describeModel } from './gguf/describe.js';
import { GgufFile } from './gguf/gguf-file.js';
import { decoderWeights } from './graph/decoder-weights.js';
import type { ModelDtype } from './index.js';
import { asGgufTensors } from './safetensors/llama-names.js';
import { SafetensorsFile } from './safetensors/safetensors-file.js';
import { type TensorSource, Weights } from './weights.js';

/**
 * Build the graph of the model at `basePath` (a .gguf file) with tensors replaced by those of the checkpoints, later
 * ones first, into `directory`; returns the graph's path. A checkpoint is a .gguf or a .safetensors file, whole or
 * partial. All names and shapes are checked before anything is written. Throws a StartupError.
 */
export async function buildUpdate(
  basePath: string,
  checkpoints: readonly string[],
  directory: string,
  dtype: ModelDtype,
): Promise<string> {
  const base = await GgufFile.open(basePath);
  const opened: Array<GgufFile | SafetensorsFile> = [base];
  try {
    const model = describeModel(base);
    const sources: TensorSource[] = [base];
    for (const path of checkpoints) {
      const isGguf = path.toLowerCase().endsWith('.gguf');
      const file = isGguf ? await GgufFile.open(path) : await SafetensorsFile.open(path);
      opened.push(file);
      sources.unshift(isGguf ? file : asGgufTensors(file, model.shape));
    }
    const weights = decoderWeights(model.architecture, model.shape, new Weights(overlay(sources)));
    return await buildGraph(directory, model, weights, dtype);
  } finally {
    for (const file of opened) await file.close();
  }
}

/** The first source that has a tensor gives it. */
function overlay(sources: readonly TensorSource[]): TensorSource {
  const tensors = new Map(sources.toReversed().flatMap((source) => [...source.tensors]));
  return {
    path: sources[0]!.path,
    tensors,
    read: (name) => sources.find((source) => source.tensors.has(name))!.read(name),
  };
}
