import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describeModel } from './gguf/describe.js';
import type { GgufFile } from './gguf/gguf-file.js';
import { tokenizerSpec } from './gguf/tokenizer-spec.js';
import { writeDecoder } from './graph/decoder.js';
import { decoderWeights } from './graph/decoder-weights.js';
import { ExternalData } from './graph/external-data.js';
import { GraphWriter } from './graph/graph-writer.js';
import { packedProjections } from './graph/packed-projections.js';
import { floatProjections, type Projections } from './graph/projections.js';
import type { ModelArtifact, ModelConfig, ModelDtype } from './index.js';
import type { Progress } from './progress.js';
import { Weights } from './weights.js';

/** Raised whenever the same source would give another graph: cached builds of other versions are not used. */
export const BUILDER_VERSION = 1;

export const GRAPH_FILE = 'model.onnx';
export const DATA_FILE = 'model.onnx.data';

/** A model without the places where it lies. */
export type BuiltModel = Omit<ModelArtifact, 'source' | 'graphPath'>;

/**
 * Write the graph and its weights into `directory`, which is created. Reads the source tensor by tensor: no more
 * than one fused matrix is in memory. Throws a StartupError that names what is missing, broken or unsupported.
 */
export async function buildModel(
  file: GgufFile,
  directory: string,
  dtype: ModelDtype,
  progress: Progress,
): Promise<BuiltModel> {
  const { architecture, shape, bosId, eosIds } = describeModel(file);
  const weights = decoderWeights(architecture, shape, new Weights(file));
  const tokenizer = tokenizerSpec(file.metadata);
  await mkdir(directory, { recursive: true });
  const data = await ExternalData.create(join(directory, DATA_FILE), DATA_FILE);
  const bar = progress.start('Building the graph', shape.layers + 1, 'layers');
  try {
    const graph = new GraphWriter(data);
    await writeDecoder(graph, shape, weights, projectionsFor(dtype), () => bar.advance(1));
    await writeFile(join(directory, GRAPH_FILE), graph.serialize(String(BUILDER_VERSION)));
  } finally {
    bar.end();
    await data.close();
  }
  const { vocabSize, hiddenSize, layers, heads, kvHeads, headDim, contextLength } = shape;
  const config: ModelConfig = {
    ...{
      architecture: architecture.name,
      vocabSize,
      hiddenSize,
      layers,
      heads,
      kvHeads,
      headDim,
      contextLength,
    },
    ...{ bosId, eosIds, dtype },
  };
  return {
    config,
    tokenizer,
    chatTemplate: file.metadata.optionalString('tokenizer.chat_template'),
    generationConfig: {},
  };
}

function projectionsFor(dtype: ModelDtype): Projections {
  if (dtype === 'float32') return floatProjections();
  return packedProjections(dtype === 'int4' ? 4 : 8);
}
