/** The default model from its GGUF file and from a checkpoint folder of the same weights: the same answers, bit for bit. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { DEFAULT_MODEL, fetchedModel } from '../src/model/fetch/default-model.js';
import { GgufFile } from '../src/model/gguf/gguf-file.js';
import type { WritableTensor } from '../src/model/gguf/gguf-writer.js';
import { defaultCacheDir } from '../src/model/model-cache.js';
import { silentProgress } from '../src/model/progress.js';
import { writeSafetensors } from '../src/model/testing/safetensors-writer.js';
import { Caller } from './client.js';
import { type RunningServer, startTito } from './own-server.js';

const MAX_TOKENS = 48;
const SETTINGS = [
  { temperature: 0 },
  { temperature: 0.8, seed: 7 },
  { temperature: 1.2, top_p: 0.9, seed: 8 },
];
const PROMPTS = [
  [1, 4093, 198, 1780, 314, 260, 3575, 282, 4649, 47, 2, 198, 1, 520, 9531, 198],
  [504, 3575, 282, 4649, 314],
  Array.from({ length: 200 }, (_, i) => 100 + ((i * 7919) % 40_000)),
];

const servers: RunningServer[] = [];
let callers: Caller[];
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tito-checkpoint-'));
  const file = await fetchedModel(DEFAULT_MODEL, defaultCacheDir(), silentProgress);
  await writeCheckpoint(file, folder);
  for (const model of [file, folder]) {
    const args = [
      model,
      '--enable-scale-out',
      '--tokens-only',
      '--dtype',
      'float32',
      '--max-model-len',
      '512',
    ];
    servers.push(await startTito(args, { TITO_CACHE: join(folder, 'cache') }));
  }
  callers = servers.map(({ url }) => new Caller(url));
}, 600_000);
afterAll(async () => {
  await Promise.all(servers.map((server) => server.stop()));
  await rm(folder, { recursive: true });
});

it('gives the same ids and logprobs from both', async () => {
  for (const token_ids of PROMPTS) {
    for (const settings of SETTINGS) {
      const sampling_params = { ...settings, max_tokens: MAX_TOKENS, logprobs: 3 };
      const [fromFile, fromFolder] = await Promise.all(
        callers.map(async (caller) => (await caller.generate({ token_ids, sampling_params })).choices),
      );
      expect(fromFile![0]!.token_ids!.length).toBeGreaterThan(0);
      expect(fromFolder).toEqual(fromFile);
    }
  }
}, 240_000);

/** The file's weights as a trainer would save them: config.json and safetensors in float32. */
async function writeCheckpoint(file: string, to: string): Promise<void> {
  const gguf = await GgufFile.open(file);
  try {
    const config = configOf(gguf);
    await writeFile(join(to, 'config.json'), JSON.stringify(config));
    await writeSafetensors(join(to, 'model.safetensors'), await tensorsOf(gguf), config.head_dim);
  } finally {
    await gguf.close();
  }
}

function configOf({ metadata, tensors }: GgufFile) {
  const hidden = metadata.count('llama.embedding_length');
  const heads = metadata.count('llama.attention.head_count');
  return {
    model_type: 'llama',
    hidden_size: hidden,
    intermediate_size: metadata.count('llama.feed_forward_length'),
    num_hidden_layers: metadata.count('llama.block_count'),
    num_attention_heads: heads,
    num_key_value_heads: metadata.count('llama.attention.head_count_kv'),
    head_dim: hidden / heads,
    max_position_embeddings: metadata.count('llama.context_length'),
    rope_theta: metadata.number('llama.rope.freq_base'),
    rms_norm_eps: metadata.number('llama.attention.layer_norm_rms_epsilon'),
    vocab_size: tensors.get('token_embd.weight')!.shape[1],
    tie_word_embeddings: !tensors.has('output.weight'),
    bos_token_id: metadata.number('tokenizer.ggml.bos_token_id'),
    eos_token_id: metadata.number('tokenizer.ggml.eos_token_id'),
  };
}

async function tensorsOf(gguf: GgufFile): Promise<WritableTensor[]> {
  const written: WritableTensor[] = [];
  for (const { name, shape, format } of gguf.tensors.values()) {
    const values = new Float32Array(shape.reduce((product, size) => product * size, 1));
    format.dequantize(await gguf.read(name), values);
    written.push({ name, shape, values });
  }
  return written;
}
