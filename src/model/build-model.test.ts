import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeTinyModel, tinyMetadata, tinyTensors } from '../../scripts/make-tiny-model.js';
import { StartupError } from '../errors.js';
import { buildModel, ownDtype } from './build-model.js';
import { F32 } from './gguf/block-formats.js';
import { type WritableTensor, type WritableValue, writeGguf } from './gguf/gguf-writer.js';
import { Q4_1, Q8_0 } from './gguf/small-blocks.js';
import { silentProgress } from './progress.js';
import { temporaryFolder } from './testing/temporary-folder.js';

type Metadata = Record<string, WritableValue>;

/** The message of the StartupError that building a changed tiny model ends with. */
async function refusal(change: {
  metadata?: Metadata;
  tensors?: (all: WritableTensor[]) => WritableTensor[];
}): Promise<string> {
  const folder = await temporaryFolder();
  const path = join(folder, 'changed.gguf');
  const tensors = tinyTensors(1, F32, false);
  await writeGguf(path, { ...tinyMetadata(), ...change.metadata }, change.tensors?.(tensors) ?? tensors);
  const error = await buildModel(path, join(folder, 'built'), 'float32', silentProgress).catch(
    (caught: unknown) => caught,
  );
  expect(error).toBeInstanceOf(StartupError);
  return (error as Error).message;
}

const without = (name: string) => (tensors: WritableTensor[]) =>
  tensors.filter((tensor) => tensor.name !== name);

describe('buildModel', () => {
  it('describes the model', async () => {
    const folder = await temporaryFolder();
    const path = await makeTinyModel(folder);
    const built = await buildModel(path, join(folder, 'built'), 'float32', silentProgress);
    expect(built.config).toEqual({
      architecture: 'llama',
      vocabSize: 320,
      hiddenSize: 64,
      layers: 2,
      heads: 4,
      kvHeads: 2,
      headDim: 16,
      contextLength: 2048,
      bosId: 1,
      eosIds: [2],
      dtype: 'float32',
    });
    expect(built.chatTemplate).toContain("message['role']");
  });

  it.each(['blk.1.ffn_up.weight', 'output_norm.weight', 'token_embd.weight', 'blk.0.attn_norm.weight'])(
    'names %s when it is missing',
    async (name) => {
      expect(await refusal({ tensors: without(name) })).toMatch(new RegExp(`has no tensor ${name}`));
    },
  );

  it('names a tensor of another shape', async () => {
    const message = await refusal({
      tensors: (all) =>
        all.map((tensor) =>
          tensor.name === 'blk.1.attn_k.weight' ? { ...tensor, shape: [32, 64] } : tensor,
        ),
    });
    expect(message).toMatch(/tensor blk\.1\.attn_k\.weight has shape \[32, 64\], expected \[64, 32\]/);
  });

  it('names a tensor that would be left out of the computation', async () => {
    const extra = { name: 'blk.0.attn_q.bias', shape: [64], values: new Float32Array(64) };
    expect(await refusal({ tensors: (all) => [...all, extra] })).toMatch(
      /holds tensor blk\.0\.attn_q\.bias,/,
    );
  });

  it.each([
    [{ 'general.architecture': 'mamba' }, /architecture "mamba" is not supported\. Supported: llama, qwen2/],
    [
      { 'llama.rope.scaling.type': 'dynamic' },
      /"dynamic" \(llama\.rope\.scaling\.type\) of architecture llama/,
    ],
    [{ 'llama.rope.scaling.type': 'yarn' }, /no metadata key llama\.rope\.scaling\.factor/],
    [{ 'llama.expert_count': 8 }, /no metadata key llama\.expert_used_count/],
    [{ 'llama.expert_count': 8, 'llama.expert_used_count': 9 }, /9 of 8 experts/],
    [{ 'llama.expert_count': 8, 'llama.expert_used_count': 2 }, /has no tensor blk\.0\.ffn_gate_inp\.weight/],
    [
      { 'llama.expert_count': 8, 'llama.expert_used_count': 2, 'llama.expert_shared_count': 1 },
      /llama\.expert_shared_count is not supported for architecture llama/,
    ],
    [{ 'llama.rope.dimension_count': 8 }, /8 rotated dimensions/],
    [{ 'llama.attention.head_count_kv': 3 }, /4 attention heads can't share 3/],
    [{ 'llama.attention.head_count': 8, 'llama.rope.dimension_count': 8 }, /heads of 8 dimensions/],
    [{ 'llama.block_count': 'two' }, /llama\.block_count is not a number/],
    [{ 'llama.block_count': 0 }, /llama\.block_count is not a positive integer/],
    [{ 'llama.context_length': 4_000_000_000 }, /context length of 4000000000/],
    [{ 'tokenizer.ggml.pre': 'klingon' }, /pre-tokenizer "klingon".*Supported: gpt-2, /],
    [{ 'tokenizer.ggml.model': 'bert' }, /tokenizer "bert".*Supported: gpt2/],
    [{ 'tokenizer.ggml.tokens': Array.from({ length: 321 }, (_, i) => `t${i}`) }, /321 tokens.*320/],
  ] as Array<[Metadata, RegExp]>)('refuses %j', async (metadata, message) => {
    expect(await refusal({ metadata })).toMatch(message);
  });
});

describe('ownDtype', () => {
  it.each([
    ['F32', 'float32'],
    ['Q4_0', 'int4'],
    ['Q4_1', 'int4'],
    ['Q8_0', 'int8'],
  ] as const)('of a %s file is %s', async (format, dtype) => {
    expect(await ownDtype(await makeTinyModel(await temporaryFolder(), { format }))).toBe(dtype);
  });

  it('goes by what most weights of the layers are', async () => {
    const path = join(await temporaryFolder(), 'mixed.gguf');
    const tensors = tinyTensors(1, Q4_1, false).map((tensor) =>
      tensor.name.includes('attn_v') ? { ...tensor, format: Q8_0 } : tensor,
    );
    await writeGguf(path, tinyMetadata(), tensors);
    expect(await ownDtype(path)).toBe('int4');
  });
});
