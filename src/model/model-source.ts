import { stat } from 'node:fs/promises';
import { StartupError } from '../errors.js';
import type { OpenTensors } from './checkpoint/checkpoint.js';
import type { ModelFacts } from './gguf/describe.js';
import { GgufFile } from './gguf/gguf-file.js';
import { tokenizerSpec } from './gguf/tokenizer-spec.js';
import { HuggingFaceFolder } from './huggingface/folder.js';
import type { TokenizerSpec } from './index.js';

/** A model as its makers gave it, open for reading, whatever its form: metadata and tensors under their GGUF names. */
export interface ModelSource extends OpenTensors, ModelFacts {
  /** Null when the source brings none. Throws a StartupError when it doesn't fit the vocabulary's size. */
  tokenizer(vocabSize: number): TokenizerSpec | null;
  /** Jinja text, or null. */
  chatTemplate(): string | null;
}

/**
 * Open a GGUF file, or a folder with config.json and safetensors. Without `weights` a folder need not have any. Throws a
 * StartupError that says what is wrong with it.
 */
export async function openSource(path: string, { weights = true } = {}): Promise<ModelSource> {
  const found = await stat(path).catch((error: Error) => {
    throw new StartupError(`${path} can't be read: ${error.message}`);
  });
  if (found.isDirectory()) return HuggingFaceFolder.open(path, weights);
  const file = await GgufFile.open(path);
  const { metadata, tensors } = file;
  return {
    path,
    metadata,
    tensors,
    read: (name) => file.read(name),
    close: () => file.close(),
    tokenizer: (vocabSize) => tokenizerSpec(metadata, vocabSize),
    chatTemplate: () => metadata.optionalString('tokenizer.chat_template'),
  };
}
