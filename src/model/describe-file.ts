import { describeModel } from './gguf/describe.js';
import type { ModelDescription } from './index.js';
import { openSource } from './model-source.js';
import { describeOnnx, openOnnxFolder } from './onnx/onnx-folder.js';

/** A source's model without its weights. Throws a StartupError that names what is missing or unsupported. */
export async function describeFile(path: string): Promise<Omit<ModelDescription, 'name'>> {
  const exported = await openOnnxFolder(path);
  if (exported) return describeOnnx(exported);
  const source = await openSource(path, { weights: false });
  try {
    const { shape, eosIds } = describeModel(source);
    const { vocabSize, contextLength } = shape;
    return {
      source: path,
      config: { vocabSize, contextLength, eosIds },
      tokenizer: source.tokenizer(vocabSize),
      chatTemplate: source.chatTemplate(),
    };
  } finally {
    await source.close();
  }
}
