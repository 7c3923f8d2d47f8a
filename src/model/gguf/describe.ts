import { StartupError } from '../../errors.js';
import { type Architecture, type DecoderShape, EMBEDDING, HEAD } from '../architectures/architecture.js';
import { decoderShape } from '../architectures/decoder-shape.js';
import { architectureNamed } from '../architectures/index.js';
import type { ModelDtype } from '../index.js';
import type { TensorSource } from '../weights.js';
import type { Metadata } from './metadata.js';

/** What a model's source says about it. */
export interface ModelFacts extends Pick<TensorSource, 'path' | 'tensors'> {
  metadata: Metadata;
  /** Default: the rows of the embedding. */
  readonly vocabSize?: number;
  /** Ids that end a sequence, the primary one first. Default: those in the metadata. */
  readonly endIds?: readonly number[];
}

export interface DescribedModel {
  architecture: Architecture;
  shape: DecoderShape;
  bosId: number | null;
  eosIds: number[];
}

/** What a source's metadata says about its model. Throws a StartupError for what tito can't run. */
export function describeModel(facts: ModelFacts): DescribedModel {
  const { path, metadata, tensors } = facts;
  const architecture = architectureNamed(metadata.string('general.architecture'));
  const vocabSize = facts.vocabSize ?? tensors.get(EMBEDDING)?.shape[1];
  if (vocabSize === undefined)
    throw new StartupError(`${path} has no tensor ${EMBEDDING}: the file is incomplete.`);
  return {
    architecture,
    shape: decoderShape(architecture, metadata, vocabSize),
    bosId: metadata.optionalNumber('tokenizer.ggml.bos_token_id'),
    eosIds: [...(facts.endIds ?? endIds(metadata))],
  };
}

function endIds(metadata: Metadata): number[] {
  const ids = ['eos', 'eot', 'eom'].map((key) => metadata.optionalNumber(`tokenizer.ggml.${key}_token_id`));
  return [...new Set(ids.filter((id) => id !== null))];
}

/** The dtype that keeps most of the layers' weights as the file has them. Throws a StartupError as above. */
export function ownPrecision(source: ModelFacts): ModelDtype {
  describeModel(source);
  const weights: Record<ModelDtype, number> = { float32: 0, int8: 0, int4: 0 };
  for (const [name, { shape, format }] of source.tensors) {
    if (shape.length < 2 || name === EMBEDDING || name === HEAD) continue;
    const bits = format.integers?.bits;
    const dtype = bits === undefined ? 'float32' : bits === 4 ? 'int4' : 'int8';
    weights[dtype] += shape.reduce((product, size) => product * size, 1);
  }
  const dtypes = Object.keys(weights) as ModelDtype[];
  return dtypes.reduce((best, dtype) => (weights[dtype] > weights[best] ? dtype : best));
}
