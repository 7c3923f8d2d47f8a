import { StartupError } from '../../errors.js';
import type { Architecture, DecoderShape } from '../architectures/architecture.js';
import { checkShape } from '../architectures/check-shape.js';
import { architectureNamed } from '../architectures/index.js';
import type { ModelDtype } from '../index.js';
import type { GgufFile } from './gguf-file.js';
import type { Metadata } from './metadata.js';
import { packedLayout } from './pack-blocks.js';

export interface GgufModel {
  architecture: Architecture;
  shape: DecoderShape;
  bosId: number | null;
  eosIds: number[];
}

/** What a GGUF file's metadata says about its model. Throws a StartupError for what tito can't run. */
export function describeModel({ path, metadata, tensors }: GgufFile): GgufModel {
  const architecture = architectureNamed(metadata.string('general.architecture'));
  const vocabSize = tensors.get(architecture.embedding)?.shape[1];
  if (vocabSize === undefined)
    throw new StartupError(`${path} has no tensor ${architecture.embedding}: the file is incomplete.`);
  const shape = architecture.shape(metadata, vocabSize);
  checkShape(shape);
  return {
    architecture,
    shape,
    bosId: metadata.optionalNumber('tokenizer.ggml.bos_token_id'),
    eosIds: endIds(metadata),
  };
}

function endIds(metadata: Metadata): number[] {
  const ids = ['eos', 'eot', 'eom'].map((key) => metadata.optionalNumber(`tokenizer.ggml.${key}_token_id`));
  return [...new Set(ids.filter((id) => id !== null))];
}

/** The dtype that keeps most of the layers' weights as the file has them. Throws a StartupError as above. */
export function ownPrecision(file: GgufFile): ModelDtype {
  const { architecture } = describeModel(file);
  const weights: Record<ModelDtype, number> = { float32: 0, int8: 0, int4: 0 };
  for (const { name, shape, format } of file.tensors.values()) {
    if (shape.length !== 2 || name === architecture.embedding || name === architecture.head) continue;
    const bits = packedLayout(format)?.bits;
    const dtype = bits === undefined ? 'float32' : bits === 4 ? 'int4' : 'int8';
    weights[dtype] += shape[0]! * shape[1]!;
  }
  const dtypes = Object.keys(weights) as ModelDtype[];
  return dtypes.reduce((best, dtype) => (weights[dtype] > weights[best] ? dtype : best));
}
