import { join } from 'node:path';
import { StartupError } from '../../errors.js';
import { HEAD } from '../architectures/architecture.js';
import { architectureOfType } from '../architectures/index.js';
import { AssembledTensors } from '../checkpoint/assembled-tensors.js';
import { safetensorsFiles } from '../checkpoint/checkpoint.js';
import { SafetensorsFile } from '../checkpoint/safetensors-file.js';
import { isComputed, targetOf } from '../checkpoint/tensor-names.js';
import type { Metadata } from '../gguf/metadata.js';
import type { TokenizerSpec } from '../index.js';
import type { ModelSource } from '../model-source.js';
import { type FolderText, folderText } from '../tokenizer/folder-text.js';
import type { TensorInfo } from '../weights.js';
import { CONFIG_FILE, type Config, configMetadata, readConfig } from './config.js';
import { rotaryFactors } from './rotary.js';

/**
 * A folder as Hugging Face transformers saves models: config.json, safetensors files and a tokenizer. It reads as the
 * GGUF file that it would convert to.
 */
export class HuggingFaceFolder implements ModelSource {
  private constructor(
    readonly path: string,
    readonly metadata: Metadata,
    private readonly config: Config,
    private readonly text: FolderText,
    private readonly assembled: AssembledTensors,
    private readonly files: readonly SafetensorsFile[],
  ) {}

  /** Read config.json, the tokenizer and, if they are wanted, the headers of the weights. Throws a StartupError. */
  static async open(path: string, weights: boolean): Promise<HuggingFaceFolder> {
    const config = await readConfig(path);
    const architecture = architectureOfType(config.model_type);
    const metadata = configMetadata(join(path, CONFIG_FILE), config, architecture);
    const text = await folderText(path, metadata.count('vocab_size'));
    const assembled = new AssembledTensors(rotaryFactors(path, config));
    const files: SafetensorsFile[] = [];
    const folder = new HuggingFaceFolder(path, metadata, config, text, assembled, files);
    try {
      for (const file of weights ? await safetensorsFiles(path) : []) {
        const source = await SafetensorsFile.open(file);
        files.push(source);
        for (const name of source.tensors.keys()) {
          const target = targetOf(architecture, name) ?? { name };
          const isTwin = target.name === HEAD && config.tie_word_embeddings === true;
          if (!isComputed(name) && !isTwin) assembled.put(target, source, name, 'halves');
        }
      }
      if (weights) folder.refuseIncomplete();
      return folder;
    } catch (error) {
      await folder.close();
      throw error;
    }
  }

  get tensors(): ReadonlyMap<string, TensorInfo> {
    return this.assembled.tensors;
  }

  get vocabSize(): number {
    return this.metadata.count('vocab_size');
  }

  /** The tokenizer's EOS, then those of config.json. */
  get endIds(): readonly number[] {
    const { tokenizer } = this.text;
    const own = tokenizer ? tokenId(tokenizer, tokenizer.config.eos_token) : null;
    const configured = [this.config.eos_token_id].flat().filter((id): id is number => Number.isInteger(id));
    return [...new Set(own === null ? configured : [own, ...configured])];
  }

  read(name: string): Promise<Uint8Array> {
    return this.assembled.read(name);
  }

  tokenizer(): TokenizerSpec | null {
    return this.text.tokenizer;
  }

  chatTemplate(): string | null {
    return this.text.chatTemplate;
  }

  async close(): Promise<void> {
    for (const file of this.files) await file.close();
  }

  /** Unlike GGUF files, folders say whether the embedding is the head. */
  private refuseIncomplete(): void {
    const { path, config, assembled } = this;
    if (config.tie_word_embeddings === false && !assembled.tensors.has(HEAD)) {
      throw new StartupError(`${path} has no tensor lm_head.weight: the checkpoint is incomplete.`);
    }
    const stack = assembled.firstIncomplete();
    if (stack !== null) {
      throw new StartupError(`${path} lacks experts of layer tensor ${stack}: the checkpoint is incomplete.`);
    }
  }
}

/** The id of a special token: a string, or an object with its content. Null when there is none. */
function tokenId({ tokenizer }: TokenizerSpec, token: unknown): number | null {
  const content = typeof token === 'object' ? (token as { content?: unknown } | null)?.content : token;
  const { added_tokens: added } = tokenizer;
  if (typeof content !== 'string' || !Array.isArray(added)) return null;
  const found = (added as Array<{ id?: unknown; content?: unknown }>).find(
    (entry) => entry.content === content,
  );
  return typeof found?.id === 'number' ? found.id : null;
}
