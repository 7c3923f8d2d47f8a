import { StartupError } from '../errors.js';
import { describeModel, ownPrecision } from '../model/gguf/describe.js';
import type { TokenizerSpec } from '../model/index.js';
import { positionBytes } from '../model/kv-bytes.js';
import { openSource } from '../model/model-source.js';
import { type OnnxFolder, onnxConfig, openOnnxFolder } from '../model/onnx/onnx-folder.js';
import { type LocalSource, localSource, type SourceOptions } from '../model/source.js';
import { sourceFiles } from '../model/source-hash.js';
import { folderText } from '../model/tokenizer/folder-text.js';
import type { TensorInfo } from '../model/weights.js';
import { ChatTemplate } from '../text/chat-template.js';
import { createTokenizer, type Tokenizer } from '../text/tokenizer.js';

/** What a model is. Names are those of the printed JSON. */
export interface ModelFacts {
  name: string;
  source: string;
  architecture: string | null;
  layers: number | null;
  hidden_size: number | null;
  attention_heads: number | null;
  key_value_heads: number | null;
  head_dim: number | null;
  vocab_size: number | null;
  context_length: number | null;
  /** Null when the weights are not here. */
  parameters: number | null;
  /** Share of the weights that each format stores. */
  formats: Readonly<Record<string, number>>;
  /** What `--dtype auto` is. */
  dtype: string | null;
  memory: MemoryFacts | null;
  tokenizer: TokenizerFacts | null;
  chat_template: boolean;
  eos_ids: readonly number[];
  /** Role → token, of those that the tokenizer names. */
  special_tokens: Readonly<Record<string, { id: number; text: string }>>;
  /** What can't be used, each with its reason; the first ones keep the model from running. */
  unsupported: readonly string[];
}

export interface MemoryFacts {
  /** Weights as stored, in bytes; 0 = not known. */
  stored_bytes: number;
  float32_bytes: number;
  /** Keys and values of one position, in bytes. */
  position_bytes: number;
  context: number;
  batch: number;
  /** Keys and values of `batch` sequences of `context` positions. */
  cache_bytes: number;
}

export interface TokenizerFacts {
  kind: string;
  /** Ids are below this. */
  size: number;
  special: number;
}

export interface FactsOptions extends Omit<SourceOptions, 'weights'> {
  /** Positions of a sequence; undefined = as many as the model was trained for. */
  context: number | undefined;
  /** Sequences at once. */
  batch: number;
}

const FLOAT32_BYTES = 4;

/** Find out what a model is, without building it. Throws a StartupError when there is no such model. */
export async function modelFacts(model: string | undefined, options: FactsOptions): Promise<ModelFacts> {
  const source = await localSource(model, { ...options, weights: false });
  const unknown: ModelFacts = {
    ...NOTHING,
    name: source.name,
    source: source.path,
  };
  try {
    return await factsOf(unknown, source, options);
  } catch (error) {
    if (error instanceof StartupError) return { ...unknown, unsupported: [error.message] };
    throw error;
  }
}

const NOTHING: Omit<ModelFacts, 'name' | 'source'> = {
  architecture: null,
  layers: null,
  hidden_size: null,
  attention_heads: null,
  key_value_heads: null,
  head_dim: null,
  vocab_size: null,
  context_length: null,
  parameters: null,
  formats: {},
  dtype: null,
  memory: null,
  tokenizer: null,
  chat_template: false,
  eos_ids: [],
  special_tokens: {},
  unsupported: [],
};

async function factsOf(
  unknown: ModelFacts,
  { path }: LocalSource,
  options: FactsOptions,
): Promise<ModelFacts> {
  const exported = await openOnnxFolder(path);
  if (exported) return exportedFacts(unknown, exported, options);
  const file = await openSource(path, { weights: await hasWeights(path) });
  try {
    const faults: string[] = [];
    const weights = weightFacts([...file.tensors.values()]);
    const known = {
      ...unknown,
      ...weights.facts,
      architecture: file.metadata.string('general.architecture'),
    };
    const described = orFault(faults, () => describeModel(file));
    if (!described) return { ...known, unsupported: faults };
    const { shape, eosIds } = described;
    const spec = orFault(faults, () => file.tokenizer(shape.vocabSize));
    const template = file.chatTemplate();
    const context = options.context ?? shape.contextLength;
    return {
      ...known,
      layers: shape.layers,
      hidden_size: shape.hiddenSize,
      attention_heads: shape.heads,
      key_value_heads: shape.kvHeads,
      head_dim: shape.headDim,
      vocab_size: shape.vocabSize,
      context_length: shape.contextLength,
      dtype: ownPrecision(file),
      memory: {
        stored_bytes: weights.storedBytes,
        float32_bytes: (weights.facts.parameters ?? 0) * FLOAT32_BYTES,
        ...cacheFacts(shape, context, options.batch),
      },
      eos_ids: eosIds,
      ...textFacts(spec, template, faults),
      unsupported: faults,
    };
  } finally {
    await file.close();
  }
}

/** An exported graph has its weights in forms that tell nothing of their number. */
async function exportedFacts(
  unknown: ModelFacts,
  exported: OnnxFolder,
  { context, batch }: FactsOptions,
): Promise<ModelFacts> {
  const known = { ...unknown, architecture: exported.architecture };
  const faults: string[] = [];
  const config = await onnxConfig(exported).catch((error: unknown) => {
    if (error instanceof StartupError) return error;
    throw error;
  });
  if (config instanceof StartupError) return { ...known, unsupported: [config.message] };
  const { tokenizer, chatTemplate } = await folderText(exported.folder, config.vocabSize);
  return {
    ...known,
    layers: config.layers,
    hidden_size: config.hiddenSize,
    attention_heads: config.heads,
    key_value_heads: config.kvHeads,
    head_dim: config.headDim,
    vocab_size: config.vocabSize,
    context_length: config.contextLength,
    dtype: config.dtype,
    memory: {
      stored_bytes: 0,
      float32_bytes: 0,
      ...cacheFacts(config, context ?? config.contextLength, batch),
    },
    eos_ids: config.eosIds,
    ...textFacts(tokenizer, chatTemplate, faults),
    unsupported: faults,
  };
}

type CacheFacts = Pick<MemoryFacts, 'position_bytes' | 'context' | 'batch' | 'cache_bytes'>;

function cacheFacts(shape: Parameters<typeof positionBytes>[0], context: number, batch: number): CacheFacts {
  const bytes = positionBytes(shape);
  return { position_bytes: bytes, context, batch, cache_bytes: bytes * context * batch };
}

/** Folders of the hub come without weights. */
async function hasWeights(path: string): Promise<boolean> {
  const files = await sourceFiles(path);
  return files.some(({ name }) => name === '' || name.endsWith('.safetensors'));
}

function weightFacts(tensors: readonly TensorInfo[]): {
  facts: Pick<ModelFacts, 'parameters' | 'formats'>;
  storedBytes: number;
} {
  const counts = new Map<string, number>();
  let storedBytes = 0;
  for (const { shape, format, byteLength } of tensors) {
    const count = shape.reduce((product, size) => product * size, 1);
    counts.set(format.name, (counts.get(format.name) ?? 0) + count);
    storedBytes += byteLength;
  }
  const parameters = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const byShare = [...counts].sort(([, a], [, b]) => b - a);
  const formats = Object.fromEntries(byShare.map(([name, count]) => [name, count / parameters]));
  return { facts: { parameters: tensors.length > 0 ? parameters : null, formats }, storedBytes };
}

type TextFacts = Pick<ModelFacts, 'tokenizer' | 'chat_template' | 'special_tokens'>;

function textFacts(spec: TokenizerSpec | null, template: string | null, faults: string[]): TextFacts {
  const tokenizer = spec && orFault(faults, () => createTokenizer(spec));
  const compiled =
    template === null
      ? null
      : orFault(faults, () => new ChatTemplate(template, spec?.config ?? {}), 'The chat template: ');
  return {
    tokenizer: spec && tokenizer ? tokenizerFacts(spec, tokenizer) : null,
    chat_template: compiled !== null,
    special_tokens: spec && tokenizer ? roles(spec, tokenizer) : {},
  };
}

function tokenizerFacts({ tokenizer: content }: TokenizerSpec, tokenizer: Tokenizer): TokenizerFacts {
  const { type } = content.model as { type?: unknown };
  let special = 0;
  for (let id = 0; id < tokenizer.vocabSize; id++) if (tokenizer.isSpecial(id)) special++;
  return { kind: typeof type === 'string' ? type : 'BPE', size: tokenizer.vocabSize, special };
}

function roles({ config }: TokenizerSpec, tokenizer: Tokenizer): ModelFacts['special_tokens'] {
  const found = Object.entries(config).flatMap(([role, value]) => {
    const text = typeof value === 'string' ? value : (value as { content?: unknown } | null)?.content;
    const id = role.endsWith('_token') && typeof text === 'string' ? tokenizer.tokenToId(text) : undefined;
    return id === undefined ? [] : [[role, { id, text: text as string }] as const];
  });
  return Object.fromEntries(found);
}

/** What `work` gives; null, and its message among the faults, when it throws what callers are told. */
function orFault<T>(faults: string[], work: () => T, prefix = ''): T | null {
  try {
    return work();
  } catch (error) {
    faults.push(`${prefix}${(error as Error).message}`);
    return null;
  }
}
