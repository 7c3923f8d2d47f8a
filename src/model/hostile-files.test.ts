import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { makeTinyModel, tinyMetadata } from '../../scripts/make-tiny-model.js';
import { StartupError } from '../errors.js';
import { createTokenizer } from '../text/tokenizer.js';
import { EMBEDDING } from './architectures/architecture.js';
import { buildModel } from './build-model.js';
import { GRAPH_FILE } from './built-model.js';
import { checkpointFiles } from './checkpoint/checkpoint.js';
import { SafetensorsFile } from './checkpoint/safetensors-file.js';
import { describeFile } from './describe-file.js';
import { describeModel } from './gguf/describe.js';
import { GgufFile } from './gguf/gguf-file.js';
import { ggufBytes } from './gguf/gguf-writer.js';
import { openSource } from './model-source.js';
import { onnxConfig, openOnnxFolder } from './onnx/onnx-folder.js';
import { silentProgress } from './progress.js';
import { unpackCheckpoint } from './testing/checkpoints.js';
import { toExportedLayout } from './testing/exported-layout.js';
import { type Mutation, mutations, strangeJson } from './testing/mutations.js';
import { safetensorsBytes } from './testing/safetensors-writer.js';
import { folderText } from './tokenizer/folder-text.js';
import { Weights } from './weights.js';

const SEED = 41;
const LIMIT_MS = 4000;
/** What all tries together may add to the process at its fullest. */
const LIMIT_MIB = 400;

let folder: string;
let before: number;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tito-hostile-'));
  before = process.resourceUsage().maxRSS;
  // The tokenizer library warns of patterns that it doesn't know, before tito refuses them.
  vi.spyOn(console, 'warn').mockImplementation(() => {});
});
afterAll(async () => {
  vi.restoreAllMocks();
  await rm(folder, { recursive: true });
  expect((process.resourceUsage().maxRSS - before) / 1024).toBeLessThan(LIMIT_MIB);
});

/** It works, or says in a StartupError what is wrong, soon. */
async function endsWell(work: () => Promise<unknown>): Promise<void> {
  const started = performance.now();
  await work().catch((error: unknown) => {
    expect(error).toBeInstanceOf(StartupError);
    const { message } = error as Error;
    expect(message.length).toBeGreaterThan(20);
    expect(message.length).toBeLessThan(2000);
  });
  expect(performance.now() - started).toBeLessThan(LIMIT_MS);
}

const changed = (bytes: Uint8Array, changes: readonly Mutation[]): Buffer =>
  changes.reduce<Buffer>((current, change) => change(current), Buffer.from(bytes));

const check = <T>(
  arbitrary: fc.Arbitrary<T>,
  test: (value: T) => Promise<void>,
  numRuns: number,
): Promise<void> => fc.assert(fc.asyncProperty(arbitrary, test), { seed: SEED, numRuns });

const HIDDEN = 64;
const tensor = (
  name: string,
  ...shape: number[]
): { name: string; shape: number[]; values: Float32Array } => ({
  name,
  shape,
  values: new Float32Array(shape.reduce((product, size) => product * size, 1)),
});

describe('damaged and hostile files', () => {
  it('of GGUF', async () => {
    const tensors = [tensor('token_embd.weight', HIDDEN, 320), tensor('output_norm.weight', HIDDEN)];
    const whole = ggufBytes(tinyMetadata(), tensors);
    const path = join(folder, 'a.gguf');
    await check(
      mutations(whole.length - HIDDEN * 321 * 4),
      async (changes) => {
        await writeFile(path, changed(whole, changes));
        await endsWell(async () => {
          const { tokenizer } = await describeFile(path);
          if (tokenizer) createTokenizer(tokenizer);
        });
        await endsWell(async () => {
          const file = await GgufFile.open(path);
          for (const name of file.tensors.keys()) await file.read(name);
          await file.close();
        });
      },
      120,
    );
  });

  it('of safetensors', async () => {
    const data = new Uint8Array(64);
    const header = {
      __metadata__: { format: 'pt' },
      a: { dtype: 'F32', shape: [2, 4], data_offsets: [0, 32] },
      b: { dtype: 'BF16', shape: [16], data_offsets: [32, 64] },
    };
    const whole = safetensorsBytes(header, data);
    const path = join(folder, 'a.safetensors');
    const readAll = async (): Promise<void> => {
      const file = await SafetensorsFile.open(path);
      for (const name of file.tensors.keys()) await file.read(name);
      await file.close();
    };
    await check(
      mutations(whole.length - 64),
      async (changes) => {
        await writeFile(path, changed(whole, changes));
        await endsWell(readAll);
      },
      120,
    );
    await check(
      strangeJson(JSON.stringify(header)),
      async (text) => {
        await writeFile(path, safetensorsBytes(JSON.parse(text) as object, data));
        await endsWell(readAll);
      },
      120,
    );
  });

  it('of shards', async () => {
    const index = '{"metadata":{"total_size":1},"weight_map":{"a":"1.safetensors","b":"2.safetensors"}}';
    const shards = join(folder, 'shards');
    await mkdir(shards);
    for (const name of ['1.safetensors', '2.safetensors']) await writeFile(join(shards, name), '');
    await writeFile(join(folder, 'outside.safetensors'), '');
    const path = join(shards, 'model.safetensors.index.json');
    await check(
      fc.oneof(strangeJson(index), fc.string(), fc.constant(index.replace('1.s', '../outside.s'))),
      async (text) => {
        await writeFile(path, text);
        await endsWell(async () => {
          for (const file of await checkpointFiles(shards))
            expect(join(shards, file.slice(shards.length))).toBe(file);
        });
      },
      120,
    );
    for (const name of [
      '../outside.safetensors',
      '/etc/passwd',
      '..',
      '1.safetensors/../../outside.safetensors',
    ]) {
      await writeFile(path, JSON.stringify({ weight_map: { a: name } }));
      await expect(checkpointFiles(shards)).rejects.toThrow(/names .*, which is not/);
    }
  });

  it('of folders', async () => {
    const { folder: checkpoint } = await unpackCheckpoint('gemma3', folder);
    const config = await readFile(join(checkpoint, 'config.json'), 'utf8');
    const inspect = async (): Promise<void> => {
      const source = await openSource(checkpoint, { weights: true });
      try {
        const { architecture, shape } = describeModel(source);
        source.tokenizer(shape.vocabSize);
        new Weights(source).matrix(EMBEDDING, shape.vocabSize, shape.hiddenSize);
        expect(architecture.name.length).toBeGreaterThan(0);
      } finally {
        await source.close();
      }
    };
    await check(
      fc.oneof({ weight: 9, arbitrary: strangeJson(config) }, fc.string()),
      async (text) => {
        await writeFile(join(checkpoint, 'config.json'), text);
        await endsWell(inspect);
      },
      120,
    );
  });

  it('of ONNX', async () => {
    const exported = join(folder, 'exported');
    await buildModel(await makeTinyModel(folder), exported, 'float32', silentProgress);
    const path = await toExportedLayout(join(exported, GRAPH_FILE), 'model.onnx', { positionIds: true });
    const config = JSON.stringify({
      model_type: 'llama',
      max_position_embeddings: 64,
      hidden_size: HIDDEN,
      vocab_size: 320,
    });
    await writeFile(join(exported, 'config.json'), config);
    const whole = await readFile(path);
    const inspect = async (): Promise<void> => {
      await onnxConfig((await openOnnxFolder(exported))!);
    };
    await check(
      mutations(whole.length),
      async (changes) => {
        await writeFile(path, changed(whole, changes));
        await endsWell(inspect);
      },
      200,
    );
    await writeFile(path, whole);
    await check(
      strangeJson(config),
      async (text) => {
        await writeFile(join(exported, 'config.json'), text);
        await endsWell(inspect);
      },
      80,
    );
  });

  it('of tokenizers', async () => {
    const fixtures = JSON.parse(
      readFileSync(new URL('../text/tokenizer-fixtures.json', import.meta.url), 'utf8'),
    ) as Record<string, { tokenizer: object }>;
    const tokenizers = join(folder, 'tokenizers');
    await mkdir(tokenizers);
    const use = async (): Promise<void> => {
      const { tokenizer } = await folderText(tokenizers, 1 << 20);
      if (tokenizer) createTokenizer(tokenizer);
    };
    for (const name of ['llama3', 'gemma', 'unigram', 'odd', 'mistral']) {
      await check(
        strangeJson(JSON.stringify(fixtures[name]!.tokenizer)),
        async (text) => {
          await writeFile(join(tokenizers, 'tokenizer.json'), text);
          await endsWell(use);
        },
        40,
      );
    }
    await writeFile(join(tokenizers, 'tokenizer.json'), JSON.stringify(fixtures.llama3!.tokenizer));
    const config =
      '{"bos_token":{"content":"<s>"},"added_tokens_decoder":{"7":{"content":"x","special":true}},"chat_template":[{"name":"default","template":"x"}],"extra_special_tokens":{"a":"b"}}';
    await check(
      strangeJson(config),
      async (text) => {
        await writeFile(join(tokenizers, 'tokenizer_config.json'), text);
        await endsWell(use);
      },
      80,
    );
  });

  it('of SentencePiece', async () => {
    const fixtures = JSON.parse(
      readFileSync(new URL('../text/sentencepiece-fixtures.json', import.meta.url), 'utf8'),
    ) as Record<string, { model: string }>;
    const pieces = join(folder, 'pieces');
    await mkdir(pieces);
    for (const name of ['llama', 'unigram-rules']) {
      const whole = Buffer.from(fixtures[name]!.model, 'base64');
      await check(
        mutations(whole.length),
        async (changes) => {
          await writeFile(join(pieces, 'tokenizer.model'), changed(whole, changes));
          await endsWell(async () => {
            const { tokenizer } = await folderText(pieces, 1 << 20);
            if (tokenizer) createTokenizer(tokenizer).encode('A text é Ａ.', true);
          });
        },
        80,
      );
    }
  });
});
