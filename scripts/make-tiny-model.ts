/**
 * Writes a tiny random model of the llama architecture as a GGUF file: every part of the server runs on it in
 * milliseconds. The same seed gives the same file.
 *
 *   node dist/scripts/make-tiny-model.js DIR [--format F32] [--seed 1] [--tied]
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import type { BlockFormat } from '../src/model/gguf/block-format.js';
import { F32 } from '../src/model/gguf/block-formats.js';
import { type WritableTensor, type WritableValue, writeGguf } from '../src/model/gguf/gguf-writer.js';
import { Q4_0, Q4_1, Q8_0 } from '../src/model/gguf/small-blocks.js';
import { TINY_CHAT_TEMPLATE, tinyVocabulary } from './tiny-vocabulary.js';

const FORMATS = { F32, Q4_0, Q4_1, Q8_0 } as const;

export interface TinyModelOptions {
  /** Default: 1. */
  seed?: number;
  /** How the layers' matrices are stored; embedding and head are Q8_0 unless it is F32. Default: F32. */
  format?: keyof typeof FORMATS;
  /** Whether the embedding is the head. Default: false. */
  tied?: boolean;
  /** Whether the tokenizer puts the BOS before a text. Default: false. */
  addBos?: boolean;
  /** Default: that of the shape. */
  contextLength?: number;
}

/** 2 layers, 4 heads over 2 key/value heads, 320 tokens, a context of 2048. */
export const TINY_SHAPE = {
  layers: 2,
  hiddenSize: 64,
  feedForwardSize: 128,
  heads: 4,
  kvHeads: 2,
  headDim: 16,
  vocabSize: 320,
  contextLength: 2048,
  normEpsilon: 1e-5,
  rotaryBase: 10_000,
} as const;

/** Write the model into `directory`, which is created. Returns the file's path. */
export async function makeTinyModel(directory: string, options: TinyModelOptions = {}): Promise<string> {
  const { seed = 1, format = 'F32', tied = false } = options;
  await mkdir(directory, { recursive: true });
  const path = join(directory, `tiny-${format}${tied ? '-tied' : ''}-${seed}.gguf`);
  const metadata = {
    ...tinyMetadata(),
    'tokenizer.ggml.add_bos_token': options.addBos ?? false,
    'llama.context_length': options.contextLength ?? TINY_SHAPE.contextLength,
  };
  await writeGguf(path, metadata, tinyTensors(seed, FORMATS[format], tied));
  return path;
}

/** The metadata of the tiny model. */
export function tinyMetadata(): Record<string, WritableValue> {
  const { layers, hiddenSize, feedForwardSize, heads, kvHeads, headDim, vocabSize, contextLength } =
    TINY_SHAPE;
  const { tokens, types, merges } = tinyVocabulary(vocabSize);
  return {
    'general.architecture': 'llama',
    'general.name': 'tiny',
    'llama.block_count': layers,
    'llama.context_length': contextLength,
    'llama.embedding_length': hiddenSize,
    'llama.feed_forward_length': feedForwardSize,
    'llama.attention.head_count': heads,
    'llama.attention.head_count_kv': kvHeads,
    'llama.attention.layer_norm_rms_epsilon': { float32: TINY_SHAPE.normEpsilon },
    'llama.rope.dimension_count': headDim,
    'llama.rope.freq_base': { float32: TINY_SHAPE.rotaryBase },
    'tokenizer.ggml.model': 'gpt2',
    'tokenizer.ggml.pre': 'smollm',
    'tokenizer.ggml.tokens': tokens,
    'tokenizer.ggml.token_type': types,
    'tokenizer.ggml.merges': merges,
    'tokenizer.ggml.bos_token_id': 1,
    'tokenizer.ggml.eos_token_id': 2,
    'tokenizer.ggml.unknown_token_id': 0,
    'tokenizer.ggml.padding_token_id': 2,
    'tokenizer.ggml.add_bos_token': false,
    'tokenizer.chat_template': TINY_CHAT_TEMPLATE,
  };
}

/** Its tensors, random but always the same for a seed. */
export function tinyTensors(seed: number, format: BlockFormat, tied: boolean): WritableTensor[] {
  const { layers, hiddenSize, feedForwardSize, heads, kvHeads, headDim, vocabSize } = TINY_SHAPE;
  const normal = normalNumbers(seed);
  const outer = format === F32 ? F32 : Q8_0;
  const matrix = (
    name: string,
    rows: number,
    columns: number,
    as: BlockFormat,
    gain: number,
  ): WritableTensor => ({
    name,
    shape: [columns, rows],
    format: as,
    values: Float32Array.from({ length: rows * columns }, () => (gain * normal()) / Math.sqrt(columns)),
  });
  const norm = (name: string): WritableTensor => ({
    name,
    shape: [hiddenSize],
    values: Float32Array.from({ length: hiddenSize }, () => 1 + 0.1 * normal()),
  });
  const layer = (index: number): WritableTensor[] => {
    const at = (part: string): string => `blk.${index}.${part}.weight`;
    return [
      norm(at('attn_norm')),
      matrix(at('attn_q'), heads * headDim, hiddenSize, format, 2),
      matrix(at('attn_k'), kvHeads * headDim, hiddenSize, format, 2),
      matrix(at('attn_v'), kvHeads * headDim, hiddenSize, format, 2),
      matrix(at('attn_output'), hiddenSize, heads * headDim, format, 2),
      norm(at('ffn_norm')),
      matrix(at('ffn_gate'), feedForwardSize, hiddenSize, format, 2),
      matrix(at('ffn_up'), feedForwardSize, hiddenSize, format, 2),
      matrix(at('ffn_down'), hiddenSize, feedForwardSize, format, 2),
    ];
  };
  const head = tied ? [] : [matrix('output.weight', vocabSize, hiddenSize, outer, 3)];
  return [
    matrix('token_embd.weight', vocabSize, hiddenSize, outer, Math.sqrt(hiddenSize)),
    ...Array.from({ length: layers }, (_, index) => layer(index)).flat(),
    norm('output_norm.weight'),
    ...head,
  ];
}

/** Normally distributed numbers (Box–Muller over a 32-bit counter hash): small and the same everywhere. */
function normalNumbers(seed: number): () => number {
  let state = seed >>> 0;
  const uniform = (): number => {
    state = (state + 0x9e3779b9) >>> 0;
    let hash = Math.imul(state ^ (state >>> 16), 0x85ebca6b);
    hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
    return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
  };
  return () => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform());
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      format: { type: 'string', default: 'F32' },
      seed: { type: 'string', default: '1' },
      tied: { type: 'boolean', default: false },
    },
  });
  const format = values.format as keyof typeof FORMATS;
  if (!(format in FORMATS)) throw new RangeError(`--format is one of ${Object.keys(FORMATS).join(', ')}`);
  const path = await makeTinyModel(positionals[0] ?? '.', {
    seed: Number(values.seed),
    format,
    tied: values.tied,
  });
  process.stdout.write(`${path}\n`);
}
