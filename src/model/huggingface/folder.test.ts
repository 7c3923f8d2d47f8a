import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeTinyModel, TINY_SHAPE, tinyTensors } from '../../../scripts/make-tiny-model.js';
import { StartupError } from '../../errors.js';
import { decoderShape } from '../architectures/decoder-shape.js';
import { architectureOfType } from '../architectures/index.js';
import { generationConfig } from '../generation-config.js';
import { F32 } from '../gguf/block-formats.js';
import { GRAPH } from '../index.js';
import { describeSource, loadModel } from '../load-model.js';
import { openSource } from '../model-source.js';
import { unpackCheckpoint } from '../testing/checkpoints.js';
import { decoderSteps } from '../testing/decoder-steps.js';
import { runGraph } from '../testing/run-graph.js';
import { writeSafetensors } from '../testing/safetensors-writer.js';
import { temporaryFolder } from '../testing/temporary-folder.js';
import { type Config, configMetadata } from './config.js';

type Fields = Record<string, unknown>;

async function changed(name: string, change: (config: Fields) => Fields): Promise<string> {
  const { folder } = await unpackCheckpoint(name, await temporaryFolder());
  const path = join(folder, 'config.json');
  const config = JSON.parse(await readFile(path, 'utf8')) as Fields;
  await writeFile(path, JSON.stringify(change(config)));
  return folder;
}

async function refusal(folder: string): Promise<string> {
  const error = await loadModel(folder, { cacheDir: await temporaryFolder(), dtype: 'float32' }).catch(
    (caught: unknown) => caught,
  );
  expect(error).toBeInstanceOf(StartupError);
  return (error as Error).message;
}

async function shapeOf(folder: string): Promise<unknown> {
  const config = JSON.parse(await readFile(join(folder, 'config.json'), 'utf8')) as Config;
  const architecture = architectureOfType(config.model_type);
  return decoderShape(architecture, configMetadata('config.json', config, architecture), 96);
}

describe('a folder of config.json and safetensors', () => {
  it('is described without its weights', async () => {
    const { folder } = await unpackCheckpoint('llama', await temporaryFolder());
    await rm(join(folder, 'model.safetensors'));
    const found = await describeSource(folder, { cacheDir: await temporaryFolder() });
    expect(found).toMatchObject({
      source: folder,
      name: 'llama',
      config: { vocabSize: 260, contextLength: 64, eosIds: [2] },
    });
    expect(found.chatTemplate).toContain('add_generation_prompt');
    expect(found.tokenizer?.tokenizer.model).toMatchObject({ type: 'BPE' });
    expect(await refusal(folder)).toMatch(/holds no \.safetensors file/);
  });

  it('tells contents apart, and builds the same content once', async () => {
    const cacheDir = await temporaryFolder();
    const one = await changed('llama', (config) => config);
    const two = await changed('llama', (config) => ({ ...config, rms_norm_eps: 0.001 }));
    const copy = await changed('llama', (config) => config);
    const paths = [];
    for (const folder of [one, two, copy]) paths.push((await loadModel(folder, { cacheDir })).graphPath);
    expect(paths[1]).not.toBe(paths[0]);
    expect(paths[2]).toBe(paths[0]);
  });

  it('brings its generation config', async () => {
    const { folder } = await unpackCheckpoint('llama', await temporaryFolder());
    await writeFile(join(folder, 'generation_config.json'), '{"temperature": 0.6, "eos_token_id": [2, 7]}');
    const found = await generationConfig(folder, { source: 'auto', override: null });
    expect(found).toMatchObject({ sampling: { temperature: 0.6 }, eosIds: [2, 7] });
  });

  it.each([
    [
      'llama',
      (config) => ({ ...config, model_type: 'mamba' }),
      /"mamba" is not supported. Supported: llama, mistral/,
    ],
    ['llama', (config) => ({ ...config, hidden_act: 'relu' }), /hidden_act "relu" of llama models/],
    ['llama', (config) => ({ ...config, attention_bias: true }), /attention_bias true of llama models/],
    ['llama', ({ hidden_size: _, ...config }) => config, /config.json has no metadata key hidden_size/],
    ['llama', (config) => ({ ...config, num_hidden_layers: 3 }), /has no tensor blk\.2\.attn_norm\.weight/],
    ['llama', (config) => ({ ...config, num_hidden_layers: 1 }), /holds tensor model\.layers\.1\./],
    [
      'llama',
      (config) => ({ ...config, vocab_size: 256 }),
      /ids up to 259, but the model's embedding only 256 rows/,
    ],
    [
      'llama',
      (config) => ({ ...config, embedding_multiplier: 2 }),
      /embedding_multiplier is not supported for architecture llama/,
    ],
    [
      'llama',
      (config) => ({ ...config, quantization_config: { bits: 4 } }),
      /quantization_config \{"bits":4\}/,
    ],
    [
      'qwen2',
      (config) => ({ ...config, use_sliding_window: true, sliding_window: 8 }),
      /sliding_window is not supported for architecture qwen2/,
    ],
    [
      'qwen3',
      (config) => ({ ...config, rope_parameters: { rope_type: 'dynamic', rope_theta: 1e4, factor: 2 } }),
      /"dynamic" \(rope_parameters\.rope_type\) of architecture qwen3/,
    ],
    ['qwen3moe', (config) => ({ ...config, mlp_only_layers: [0] }), /mlp_only_layers \[0\] of qwen3_moe/],
    ['olmoe', (config) => ({ ...config, clip_qkv: 8 }), /clip_qkv 8 of olmoe/],
    [
      'mixtral',
      (config) => ({ ...config, num_local_experts: 9 }),
      /block_sparse_moe\.gate\.weight has shape \[32, 8\], expected \[32, 9\]/,
    ],
    [
      'phi3',
      (config) => ({ ...config, partial_rotary_factor: 0.75 }),
      /24 rotated dimensions .* architecture phi3/,
    ],
  ] as Array<[string, (config: Fields) => Fields, RegExp]>)(
    'of %s refuses %s',
    async (name, change, message) => {
      expect(await refusal(await changed(name, change))).toMatch(message);
    },
  );

  it('refuses an index that leads out of the folder, and one that is broken', async () => {
    const { folder } = await unpackCheckpoint('mixtral', await temporaryFolder());
    const index = join(folder, 'model.safetensors.index.json');
    await writeFile(index, '{"weight_map": {"a": "../other.safetensors"}}');
    expect(await refusal(folder)).toMatch(/names "\.\.\/other\.safetensors", which is not there/);
    await writeFile(index, '{"weight_map"');
    expect(await refusal(folder)).toMatch(/has no weight_map/);
  });

  it('refuses a checkpoint that lacks a shard', async () => {
    const { folder } = await unpackCheckpoint('mixtral', await temporaryFolder());
    await rename(join(folder, 'model-00002-of-00004.safetensors'), join(folder, 'elsewhere'));
    expect(await refusal(folder)).toMatch(/names "model-00002-of-00004\.safetensors", which is not/);
    await rm(join(folder, 'model.safetensors.index.json'));
    expect(await refusal(folder)).toMatch(/lacks experts|has no tensor/);
  });
});

describe('configs as transformers 4 wrote them', () => {
  const rope = (config: Fields): Fields => config.rope_parameters as Fields;

  it.each([
    ['llama', (config) => ({ rope_theta: 10000, rope_scaling: rope(config) })],
    ['qwen2', (config) => ({ rope_theta: 1000, rope_scaling: { ...rope(config), type: 'yarn' } })],
    [
      'phi3',
      (config) => ({
        rope_theta: 10000,
        rope_scaling: { ...rope(config), rope_type: undefined, type: 'longrope' },
      }),
    ],
    [
      'gemma3',
      () => ({
        rope_theta: 1000000,
        rope_local_base_freq: 10000,
        rope_scaling: { rope_type: 'linear', factor: 8 },
        layer_types: undefined,
        sliding_window_pattern: 6,
      }),
    ],
  ] as Array<[string, (config: Fields) => Fields]>)('give the same shape of %s', async (name, older) => {
    const now = await changed(name, (config) => config);
    const before = await changed(name, (config) => ({
      ...config,
      rope_parameters: undefined,
      ...older(config),
    }));
    expect(await shapeOf(before)).toEqual(await shapeOf(now));
  });
});

it('a model has the same logits, bit for bit, from its GGUF file and from a folder', async () => {
  const cacheDir = await temporaryFolder();
  const folder = await temporaryFolder();
  const tokens = [1, 200, 37, 299, 5, 5, 64, 318, 2, 90, 111, 259];
  const file = await makeTinyModel(cacheDir);
  await writeSafetensors(join(folder, 'model.safetensors'), tinyTensors(1, F32, false), TINY_SHAPE.headDim);
  await writeFile(join(folder, 'config.json'), JSON.stringify(TINY_CONFIG));
  const logits = [];
  for (const source of [file, folder]) {
    const { graphPath } = await loadModel(source, { cacheDir, dtype: 'float32' });
    const step = decoderSteps(TINY_SHAPE, 1, tokens.length);
    const [result] = await runGraph(graphPath, [
      step(
        0,
        [tokens],
        [0],
        tokens.map((_, at) => at),
      ),
    ]);
    logits.push(result![GRAPH.logits]!);
  }
  expect(logits[1]).toEqual(logits[0]);
  expect(Math.max(...logits[0]!)).toBeGreaterThan(1);
  const source = await openSource(folder);
  expect(source.tokenizer(TINY_SHAPE.vocabSize)).toBeNull();
  await source.close();
});

/** The tiny model as transformers would describe it. */
const TINY_CONFIG = {
  model_type: 'llama',
  vocab_size: TINY_SHAPE.vocabSize,
  hidden_size: TINY_SHAPE.hiddenSize,
  intermediate_size: TINY_SHAPE.feedForwardSize,
  num_hidden_layers: TINY_SHAPE.layers,
  num_attention_heads: TINY_SHAPE.heads,
  num_key_value_heads: TINY_SHAPE.kvHeads,
  max_position_embeddings: TINY_SHAPE.contextLength,
  rms_norm_eps: TINY_SHAPE.normEpsilon,
  rope_theta: TINY_SHAPE.rotaryBase,
  hidden_act: 'silu',
  tie_word_embeddings: false,
};
