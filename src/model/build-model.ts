import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { BUILDER_VERSION, type BuiltModel, DATA_FILE, GRAPH_FILE } from './built-model.js';
import { kernelNeeds } from './cpu-kernels.js';
import { describeModel, type GgufModel, ownPrecision } from './gguf/describe.js';
import { GgufFile } from './gguf/gguf-file.js';
import { tokenizerSpec } from './gguf/tokenizer-spec.js';
import { writeDecoder } from './graph/decoder.js';
import { type DecoderWeights, decoderWeights } from './graph/decoder-weights.js';
import { ExternalData } from './graph/external-data.js';
import { GraphWriter } from './graph/graph-writer.js';
import { integerProjections } from './graph/integer-projections.js';
import { packedProjections } from './graph/packed-projections.js';
import { floatProjections, type Projections } from './graph/projections.js';
import { rotatedWeights } from './graph/rotated-weights.js';
import type { ModelConfig, ModelDtype } from './index.js';
import type { Progress } from './progress.js';
import { Weights } from './weights.js';

/**
 * Build a GGUF file's graph into `directory`, which is created. Tensors are read one at a time: no more than one
 * fused matrix is in memory. Throws a StartupError that names what is missing, broken or unsupported.
 */
export async function buildModel(
  path: string,
  directory: string,
  dtype: ModelDtype,
  progress: Progress,
): Promise<BuiltModel> {
  const file = await GgufFile.open(path);
  try {
    const model = describeModel(file);
    const weights = decoderWeights(model.architecture, model.shape, new Weights(file));
    const tokenizer = tokenizerSpec(file.metadata, model.shape.vocabSize);
    await writeGraph(directory, model, weights, dtype, progress);
    const chatTemplate = file.metadata.optionalString('tokenizer.chat_template');
    return { config: modelConfig(model, dtype), tokenizer, chatTemplate };
  } finally {
    await file.close();
  }
}

/** The precision nearest to what a GGUF file stores. Throws a StartupError when it can't be read. */
export async function ownDtype(path: string): Promise<ModelDtype> {
  const file = await GgufFile.open(path);
  try {
    return ownPrecision(file);
  } finally {
    await file.close();
  }
}

/** Write a decoder's graph and its weights into `directory`, which is created. */
export async function writeGraph(
  directory: string,
  { shape }: GgufModel,
  weights: DecoderWeights,
  dtype: ModelDtype,
  progress: Progress,
): Promise<void> {
  await mkdir(directory, { recursive: true });
  const data = await ExternalData.create(join(directory, DATA_FILE), DATA_FILE);
  const bar = progress.start('Building the graph', shape.layers + 1, 'layers');
  try {
    const graph = new GraphWriter(data);
    const prepared = dtype === 'int8' ? rotatedWeights(weights, shape) : weights;
    await writeDecoder(graph, shape, prepared, projectionsFor(dtype), () => bar.advance(1));
    await writeFile(join(directory, GRAPH_FILE), graph.serialize(String(BUILDER_VERSION)), { flush: true });
  } finally {
    bar.end();
    await data.close();
  }
}

function projectionsFor(dtype: ModelDtype): Projections {
  if (dtype === 'float32') return floatProjections();
  const { fewestRows, bytes } = kernelNeeds();
  return dtype === 'int4' ? packedProjections(4, fewestRows) : integerProjections(bytes);
}

function modelConfig({ architecture, shape, bosId, eosIds }: GgufModel, dtype: ModelDtype): ModelConfig {
  const { vocabSize, hiddenSize, layers, heads, kvHeads, headDim, contextLength } = shape;
  const sizes = { vocabSize, hiddenSize, layers, heads, kvHeads, headDim, contextLength };
  return { architecture: architecture.name, ...sizes, bosId, eosIds, dtype };
}
