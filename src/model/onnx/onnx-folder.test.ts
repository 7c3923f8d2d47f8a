import { appendFile, mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeTinyModel, TINY_SHAPE } from '../../../scripts/make-tiny-model.js';
import { modelFacts } from '../../inspect/model-facts.js';
import { buildModel } from '../build-model.js';
import { DATA_FILE, GRAPH_FILE } from '../built-model.js';
import { GRAPH, type ModelDtype } from '../index.js';
import { loadModel } from '../load-model.js';
import { silentProgress } from '../progress.js';
import { decoderSteps } from '../testing/decoder-steps.js';
import { type ExportedLayout, toExportedLayout } from '../testing/exported-layout.js';
import { runGraph } from '../testing/run-graph.js';
import { temporaryFolder } from '../testing/temporary-folder.js';
import { buildOnnx, describeOnnx, onnxDtype, openOnnxFolder } from './onnx-folder.js';

const { vocabSize, contextLength, hiddenSize } = TINY_SHAPE;

/** The tiny model as a folder with genai_config.json, or as transformers.js lays it out; and its own graph. */
async function exported(
  layout: 'genai' | 'transformers.js',
  dtype: ModelDtype = 'float32',
  options: ExportedLayout = {},
): Promise<{ folder: string; own: string }> {
  const parent = await temporaryFolder();
  const source = await makeTinyModel(parent);
  const [own, folder] = [join(parent, 'own'), join(parent, 'exported')];
  await buildModel(source, own, dtype, silentProgress);
  await buildModel(source, folder, dtype, silentProgress);
  await toExportedLayout(join(folder, GRAPH_FILE), 'model.onnx', options);
  const ids = { bos_token_id: 1, eos_token_id: [2, 0], vocab_size: vocabSize };
  if (layout === 'genai') {
    const decoder = { filename: 'model.onnx', hidden_size: hiddenSize };
    const model = { type: 'llama', context_length: contextLength, decoder, ...ids };
    await writeFile(join(folder, 'genai_config.json'), JSON.stringify({ model }));
  } else {
    const config = {
      model_type: 'llama',
      max_position_embeddings: contextLength,
      hidden_size: hiddenSize,
      ...ids,
    };
    await writeFile(join(folder, 'config.json'), JSON.stringify(config));
    await mkdir(join(folder, 'onnx'));
    for (const name of ['model.onnx', DATA_FILE])
      await rename(join(folder, name), join(folder, 'onnx', name));
  }
  return { folder, own: join(own, GRAPH_FILE) };
}

async function built(
  folder: string,
  dtype: ModelDtype = 'float32',
): Promise<{ graph: string; config: object }> {
  const directory = await temporaryFolder();
  const { config } = await buildOnnx((await openOnnxFolder(folder))!, directory, dtype);
  return { graph: join(directory, GRAPH_FILE), config };
}

/** Logits of a prompt in two chunks, then of single positions of two rows. */
async function logitsOf(graph: string): Promise<number[]> {
  const step = decoderSteps(TINY_SHAPE, 2, 32);
  const results = await runGraph(graph, [
    step(0, [[5, 6, 7, 8]], [0], [3]),
    step(0, [[9, 10, 11]], [4], [0, 2]),
    step(1, [[20, 21]], [0], [1]),
    step(0, [[12], [22]], [7, 2], [0, 1]),
  ]);
  return results.flatMap((result) => [...result[GRAPH.logits]!]);
}

describe('an ONNX folder', () => {
  it.each([
    ['genai', 'float32', false],
    ['genai', 'float32', true],
    ['genai', 'int4', false],
    ['transformers.js', 'float32', false],
  ] as const)(
    'in the layout of %s, %s, positions as an input: %s, gives the logits of the graph that it was',
    async (layout, dtype, positionIds) => {
      const { folder, own } = await exported(layout, dtype, { positionIds });
      const source = (await openOnnxFolder(folder))!;
      expect(await onnxDtype(source)).toBe(dtype);
      const { graph, config } = await built(folder, dtype);
      expect(config).toEqual({
        ...{ architecture: 'llama', vocabSize, hiddenSize, layers: 2, heads: 4, kvHeads: 2, headDim: 16 },
        ...{ contextLength, bosId: 1, eosIds: [2, 0], dtype },
      });
      const [got, expected] = [await logitsOf(graph), await logitsOf(own)];
      expect(got).toHaveLength(expected.length);
      for (const [i, logit] of got.entries()) expect(logit).toBeCloseTo(expected[i]!, 4);
    },
  );

  it('is loaded as any other source, and built once for its content', async () => {
    const { folder } = await exported('transformers.js');
    const cacheDir = await temporaryFolder();
    const first = await loadModel(folder, { cacheDir });
    expect(first).toMatchObject({
      source: folder,
      name: 'exported',
      config: { dtype: 'float32', layers: 2 },
    });
    expect(await loadModel(folder, { cacheDir })).toEqual(first);
    const facts = await modelFacts(folder, {
      ...{ revision: undefined, cacheDir, progress: silentProgress },
      ...{ context: undefined, batch: 1 },
    });
    expect(facts).toMatchObject({ architecture: 'llama', layers: 2, dtype: 'float32', unsupported: [] });
    await appendFile(join(folder, 'onnx', DATA_FILE), 'more');
    expect((await loadModel(folder, { cacheDir })).graphPath).not.toBe(first.graphPath);
  });

  it('gives scores too', async () => {
    const { folder } = await exported('genai');
    const { graph } = await built(folder);
    const step = decoderSteps(TINY_SHAPE, 1, 16)(0, [[5, 6]], [0], [1]);
    const outputs = [GRAPH.logits, GRAPH.logprobs].map((name) => ({ name, dims: [1, vocabSize] }));
    const [result] = await runGraph(graph, [{ ...step, outputs }]);
    const total = [...result![GRAPH.logits]!].reduce((sum, logit) => sum + Math.exp(logit), 0);
    expect(result![GRAPH.logprobs]![7]).toBeCloseTo(result![GRAPH.logits]![7]! - Math.log(total), 4);
  });

  it('is told apart by content, and described without its graph', async () => {
    const { folder } = await exported('transformers.js');
    await writeFile(join(folder, 'chat_template.jinja'), 'x');
    expect(await describeOnnx((await openOnnxFolder(folder))!)).toEqual({
      source: folder,
      config: { vocabSize, contextLength, eosIds: [2, 0] },
      tokenizer: null,
      chatTemplate: 'x',
    });
    await writeFile(join(folder, 'model.safetensors'), '');
    expect(await openOnnxFolder(folder)).toBeNull();
    expect(await openOnnxFolder(await temporaryFolder())).toBeNull();
  });

  it('keeps its precision', async () => {
    const { folder } = await exported('genai');
    await expect(built(folder, 'int8')).rejects.toThrow(/is float32; an exported graph can't be made int8/);
  });

  it.each<[string, NonNullable<ExportedLayout['change']>, RegExp]>([
    [
      'attention that is not in place',
      ({ node }) => {
        for (const own of node!) if (own.opType === 'GroupQueryAttention') own.opType = 'MultiHeadAttention';
      },
      /past_key_values\.0\.key goes into MultiHeadAttention, .*takes GroupQueryAttention.*safetensors/,
    ],
    [
      'half-precision caches',
      ({ input }) => {
        for (const { name, type } of input!) if (name!.startsWith('past')) type!.tensorType!.elemType = 10;
      },
      /input past_key_values\.0\.key is FLOAT16, but the engine gives FLOAT/,
    ],
    [
      'a mask that more depends on',
      ({ node }) => {
        const last = node!.at(-1)!;
        node!.splice(
          -1,
          1,
          { opType: 'Size', name: 'size', input: ['attention_mask'], output: ['n'], domain: '' },
          {
            ...last,
            input: [last.input![0]!, 'n'],
          },
        );
      },
      /Size "size" reads attention_mask, beside the lengths/,
    ],
    [
      'no caches',
      (graph) => {
        graph.input = graph.input!.slice(0, 1);
      },
      /no input past_key_values\.0\.key/,
    ],
    [
      'no ids',
      (graph) => {
        graph.input = graph.input!.slice(1);
      },
      /no input input_ids\. It has: attention_mask/,
    ],
    [
      'weights elsewhere',
      ({ initializer }) => {
        for (const { externalData } of initializer!)
          for (const entry of externalData ?? []) if (entry.key === 'location') entry.value = '../x';
      },
      /keeps weights in "\.\.\/x", which is no file beside it/,
    ],
  ])('is refused with %s', async (_, change, message) => {
    const { folder } = await exported('genai', 'float32', { change });
    await expect(built(folder)).rejects.toThrow(message);
  });

  it.each<[Record<string, string>, RegExp]>([
    [
      { 'genai_config.json': '{"model":{"decoder":{"filename":"../x.onnx"}}}' },
      /names no decoder file inside the folder/,
    ],
    [{ 'genai_config.json': '{"model":{"decoder":{"filename":"x.onnx"}}}' }, /gives no context length/],
    [{ 'model.onnx': '' }, /has model\.onnx, but no config\.json/],
    [{ 'model_a.onnx': '', 'model_b.onnx': '' }, /several graphs and no model\.onnx/],
  ])('is refused as %j', async (files, message) => {
    const folder = await temporaryFolder();
    for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
    await expect(openOnnxFolder(folder)).rejects.toThrow(message);
  });
});
