import { describeModel } from './gguf/describe.js';
import { GgufFile } from './gguf/gguf-file.js';
import { tokenizerSpec } from './gguf/tokenizer-spec.js';
import type { ModelDescription } from './index.js';

/** A GGUF file's model without its weights. Throws a StartupError that names what is missing or unsupported. */
export async function describeFile(path: string): Promise<Omit<ModelDescription, 'name'>> {
  const file = await GgufFile.open(path);
  try {
    const { shape, eosIds } = describeModel(file);
    const { vocabSize, contextLength } = shape;
    return {
      source: path,
      config: { vocabSize, contextLength, eosIds },
      tokenizer: tokenizerSpec(file.metadata, vocabSize),
      chatTemplate: file.metadata.optionalString('tokenizer.chat_template'),
    };
  } finally {
    await file.close();
  }
}
