import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { BUILDER_VERSION, type BuiltModel, DATA_FILE, GRAPH_FILE } from './built-model.js';
import { kernelNeeds } from './cpu-kernels.js';
import { type DescribedModel, describeModel, ownPrecision } from './gguf/describe.js';
import { writeDecoder } from './graph/decoder.js';
import { type DecoderWeights, decoderWeights } from './graph/decoder-weights.js';
import { ExternalData } from './graph/external-data.js';
import { GraphWriter } from './graph/graph-writer.js';
import { integerProjections } from './graph/integer-projections.js';
import { packedProjections } from './graph/packed-projections.js';
import { floatProjections, type Projections } from './graph/projections.js';
import { canBeRotated, rotatedWeights } from './graph/rotated-weights.js';
import type { ModelConfig, ModelDtype } from './index.js';
import { openSource } from './model-source.js';
import { buildOnnx, onnxDtype, openOnnxFolder } from './onnx/onnx-folder.js';
import type { Progress } from './progress.js';
import { Weights } from './weights.js';

/**
 * Build the graph of a model's source into `directory`, which is created. Tensors are read one at a time: no more than
 * one fused matrix is in memory. Throws a StartupError that names what is missing, broken or unsupported.
 */
export async function buildModel(
  path: string,
  directory: string,
  dtype: ModelDtype,
  progress: Progress,
): Promise<BuiltModel> {
  const exported = await openOnnxFolder(path);
  if (exported) {
    await mkdir(directory, { recursive: true });
    return buildOnnx(exported, directory, dtype);
  }
  const source = await openSource(path);
  try {
    const model = describeModel(source);
    const weights = decoderWeights(model.architecture, model.shape, new Weights(source));
    const tokenizer = source.tokenizer(model.shape.vocabSize);
    await writeGraph(directory, model, weights, dtype, progress);
    return { config: modelConfig(model, dtype), tokenizer, chatTemplate: source.chatTemplate() };
  } finally {
    await source.close();
  }
}

/** The precision nearest to what a source stores. Throws a StartupError when it can't be read. */
export async function ownDtype(path: string): Promise<ModelDtype> {
  const exported = await openOnnxFolder(path);
  if (exported) return onnxDtype(exported);
  const source = await openSource(path);
  try {
    return ownPrecision(source);
  } finally {
    await source.close();
  }
}

/** Write a decoder's graph and its weights into `directory`, which is created. */
export async function writeGraph(
  directory: string,
  { shape }: DescribedModel,
  weights: DecoderWeights,
  dtype: ModelDtype,
  progress: Progress,
): Promise<void> {
  await mkdir(directory, { recursive: true });
  const data = await ExternalData.create(join(directory, DATA_FILE), DATA_FILE);
  const bar = progress.start('Building the graph', shape.layers + 1, 'layers');
  try {
    const graph = new GraphWriter(data);
    const rotated = dtype === 'int8' && canBeRotated(weights);
    const prepared = rotated ? rotatedWeights(weights, shape) : weights;
    await writeDecoder(graph, shape, prepared, projectionsFor(dtype, rotated), () => bar.advance(1));
    await writeFile(join(directory, GRAPH_FILE), graph.serialize(String(BUILDER_VERSION)), { flush: true });
  } finally {
    bar.end();
    await data.close();
  }
}

/** Without rotated weights, activations would lose too much in whole rows of int8: then weights are blocks of 8 bits. */
function projectionsFor(dtype: ModelDtype, rotated: boolean): Projections {
  if (dtype === 'float32') return floatProjections();
  const { fewestRows, bytes } = kernelNeeds();
  if (dtype === 'int4') return packedProjections(4, fewestRows);
  return rotated ? integerProjections(bytes) : packedProjections(8, fewestRows);
}

function modelConfig({ architecture, shape, bosId, eosIds }: DescribedModel, dtype: ModelDtype): ModelConfig {
  const { vocabSize, hiddenSize, layers, heads, kvHeads, headDim, contextLength, experts } = shape;
  const sizes = { vocabSize, hiddenSize, layers, heads, kvHeads, headDim, contextLength };
  const routed = experts && { experts: { count: experts.count, used: experts.used } };
  return { architecture: architecture.name, ...sizes, bosId, eosIds, dtype, ...routed };
}
