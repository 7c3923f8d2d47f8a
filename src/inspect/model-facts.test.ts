import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeTinyModel, TINY_SHAPE, tinyMetadata } from '../../scripts/make-tiny-model.js';
import { StartupError } from '../errors.js';
import { type WritableTensor, writeGguf } from '../model/gguf/gguf-writer.js';
import { silentProgress } from '../model/progress.js';
import { unpackCheckpoint } from '../model/testing/checkpoints.js';
import { factsTable } from './facts-table.js';
import { type ModelFacts, modelFacts } from './model-facts.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tito-facts-'));
});
afterAll(() => rm(folder, { recursive: true }));

const factsOf = (model: string, more: { context?: number; batch?: number } = {}): Promise<ModelFacts> =>
  modelFacts(model, {
    revision: undefined,
    cacheDir: folder,
    progress: silentProgress,
    context: more.context,
    batch: more.batch ?? 1,
  });

const EMBEDDING: WritableTensor = {
  name: 'token_embd.weight',
  shape: [TINY_SHAPE.hiddenSize, TINY_SHAPE.vocabSize],
  values: new Float32Array(TINY_SHAPE.hiddenSize * TINY_SHAPE.vocabSize),
};

describe('facts of a model', () => {
  it('say what it is and what it takes', async () => {
    const { layers, hiddenSize, heads, kvHeads, headDim, vocabSize, contextLength, feedForwardSize } =
      TINY_SHAPE;
    const facts = await factsOf(await makeTinyModel(folder, { format: 'Q4_0' }), { context: 100, batch: 3 });
    const layer =
      hiddenSize * (2 * heads + 2 * kvHeads) * headDim + 3 * hiddenSize * feedForwardSize + 2 * hiddenSize;
    const position = 2 * layers * kvHeads * headDim * 4;
    expect(facts).toMatchObject({
      name: 'tiny-Q4_0-1',
      architecture: 'llama',
      layers,
      hidden_size: hiddenSize,
      attention_heads: heads,
      key_value_heads: kvHeads,
      head_dim: headDim,
      vocab_size: vocabSize,
      context_length: contextLength,
      parameters: layers * layer + 2 * vocabSize * hiddenSize + hiddenSize,
      dtype: 'int4',
      memory: { position_bytes: position, cache_bytes: position * 300, context: 100, batch: 3 },
      tokenizer: { kind: 'BPE', size: vocabSize, special: 3 },
      chat_template: true,
      eos_ids: [2],
      special_tokens: {
        bos_token: { id: 1, text: '<|im_start|>' },
        eos_token: { id: 2, text: '<|im_end|>' },
      },
      unsupported: [],
    });
    expect(Object.keys(facts.formats)).toEqual(['Q4_0', 'Q8_0', 'F32']);
    const text = factsTable(facts);
    expect(text).toMatch(/^parameters {8}0\.1 million$/m);
    expect(text).toMatch(/^keys and values {3}512 bytes a token; 0\.2 MB for 3 sequences of 100 tokens$/m);
    expect(text).toMatch(/^eos token {9}2 "<\|im_end\|>"$/m);
  });

  it('name what is not supported, and the rest all the same', async () => {
    const path = join(folder, 'other.gguf');
    await writeGguf(path, { ...tinyMetadata(), 'general.architecture': 'mamba' }, [EMBEDDING]);
    const facts = await factsOf(path);
    expect(facts).toMatchObject({ architecture: 'mamba', layers: null, parameters: EMBEDDING.values.length });
    expect(facts.unsupported).toEqual([expect.stringContaining('architecture "mamba" is not supported')]);
    expect(factsTable(facts)).toMatch(/^unsupported {7}The model's architecture "mamba"/m);
  });

  it('name a tokenizer and a template that can not be used', async () => {
    const path = join(folder, 'texts.gguf');
    const strange = { 'tokenizer.ggml.pre': 'unheard-of', 'tokenizer.chat_template': '{% for %}' };
    await writeGguf(path, { ...tinyMetadata(), ...strange }, [EMBEDDING]);
    const facts = await factsOf(path);
    expect(facts).toMatchObject({ layers: TINY_SHAPE.layers, tokenizer: null, chat_template: false });
    expect(facts.unsupported).toEqual([
      expect.stringContaining('pre-tokenizer "unheard-of"'),
      expect.stringMatching(/^The chat template: /),
    ]);
  });

  it('are those of a folder, with and without its weights', async () => {
    const { folder: path } = await unpackCheckpoint('qwen3moe', folder);
    const facts = await factsOf(path);
    expect(facts).toMatchObject({
      architecture: 'qwen3moe',
      layers: 2,
      formats: { BF16: 1 },
      dtype: 'float32',
    });
    expect(facts).toMatchObject({ parameters: 68_320, tokenizer: null, eos_ids: [2], unsupported: [] });
    await rm(join(path, 'model.safetensors'));
    expect(await factsOf(path)).toMatchObject({ layers: 2, parameters: null, unsupported: [] });
  });

  it('need a model', async () => {
    await expect(factsOf(join(folder, 'none.gguf'))).rejects.toThrow(StartupError);
  });
});
