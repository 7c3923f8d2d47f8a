import { StartupError } from '../../errors.js';
import type { Architecture, DecoderShape } from '../architectures/architecture.js';
import { architectureNamed } from '../architectures/index.js';
import type { GgufFile } from './gguf-file.js';
import type { Metadata } from './metadata.js';

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
  return {
    architecture,
    shape: architecture.shape(metadata, vocabSize),
    bosId: metadata.optionalNumber('tokenizer.ggml.bos_token_id'),
    eosIds: endIds(metadata),
  };
}

function endIds(metadata: Metadata): number[] {
  const ids = ['eos', 'eot', 'eom'].map((key) => metadata.optionalNumber(`tokenizer.ggml.${key}_token_id`));
  return [...new Set(ids.filter((id) => id !== null))];
}
