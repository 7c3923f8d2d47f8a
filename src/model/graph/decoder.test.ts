import { describe, expect, it } from 'vitest';
import { makeTinyModel, TINY_SHAPE, tinyTensors } from '../../../scripts/make-tiny-model.js';
import { F32 } from '../gguf/block-formats.js';
import { Q4_1 } from '../gguf/small-blocks.js';
import { GRAPH, type ModelArtifact, type ModelDtype } from '../index.js';
import { loadModel } from '../load-model.js';
import { decoderSteps, type Step } from '../testing/decoder-steps.js';
import { referenceLogits } from '../testing/reference-decoder.js';
import { type GraphRun, runGraph } from '../testing/run-graph.js';
import { temporaryFolder } from '../testing/temporary-folder.js';

const { vocabSize } = TINY_SHAPE;
const CAPACITY = 40;
const SLOTS = 2;
const TOKENS = [1, 200, 37, 299, 5, 5, 64, 318, 2, 90, 111, 259];

type Format = 'F32' | 'Q4_1';

async function built(dtype: ModelDtype, format: Format, tied = false): Promise<ModelArtifact> {
  const folder = await temporaryFolder();
  return loadModel(await makeTinyModel(folder, { format, tied }), { dtype, cacheDir: folder });
}

const stepMaker = (): Step => decoderSteps(TINY_SHAPE, SLOTS, CAPACITY);

const logitsOf = async (artifact: ModelArtifact, steps: GraphRun[]): Promise<Float32Array[]> =>
  (await runGraph(artifact.graphPath, steps)).map((result) => result[GRAPH.logits]!);

const rowOf = (logits: Float32Array, index: number): Float32Array =>
  logits.subarray(index * vocabSize, (index + 1) * vocabSize);

const furthest = (a: ArrayLike<number>, b: ArrayLike<number>): number =>
  Array.from(a).reduce((most, value, i) => Math.max(most, Math.abs(value - b[i]!)), 0);

const everywhere = TOKENS.map((_, position) => position);

describe('the float32 graph', () => {
  it.each([false, true])('computes what the definition says (tied head: %s)', async (tied) => {
    const artifact = await built('float32', 'F32', tied);
    const [logits] = await logitsOf(artifact, [stepMaker()(0, [TOKENS], [0], everywhere)]);
    const expected = referenceLogits(TINY_SHAPE, tinyTensors(1, F32, tied), TOKENS);
    expect(furthest(logits!, expected.flat())).toBeLessThan(2e-4);
    expect(furthest(logits!, new Float32Array(logits!.length))).toBeGreaterThan(3);
  });

  it('computes the same whether tokens come at once, in chunks, or one by one', async () => {
    const artifact = await built('float32', 'F32');
    const atOnce = stepMaker();
    const chunked = stepMaker();
    const singly = stepMaker();
    const results = await logitsOf(artifact, [
      atOnce(0, [TOKENS], [0], everywhere),
      chunked(1, [TOKENS.slice(0, 5)], [0], [0]),
      chunked(1, [TOKENS.slice(5)], [5], [6]),
      ...TOKENS.map((token, position) => singly(0, [[token]], [position], [0])),
    ]);
    const last = rowOf(results[0]!, TOKENS.length - 1);
    expect(furthest(last, results[2]!)).toBeLessThan(1e-4);
    results.slice(3).forEach((logits, position) => {
      expect(furthest(logits, rowOf(results[0]!, position))).toBeLessThan(1e-4);
    });
  });

  it('decodes rows of different lengths together and apart alike', async () => {
    const artifact = await built('float32', 'F32');
    const step = stepMaker();
    const [a, b] = [TOKENS.slice(0, 9), TOKENS.slice(3, 7)];
    const results = await logitsOf(artifact, [
      step(0, [a], [0], [0]),
      step(1, [b], [0], [0]),
      step(0, [[50], [60]], [9, 4], [0, 1]),
      step(0, [[50]], [9], [0]),
      step(1, [[60]], [4], [0]),
    ]);
    expect(rowOf(results[2]!, 0)).toEqual(results[3]);
    expect(rowOf(results[2]!, 1)).toEqual(results[4]);
    expect(furthest(results[3]!, results[4]!)).toBeGreaterThan(0.1);
  });

  it('gives logits of the rows that are asked for, in that order', async () => {
    const artifact = await built('float32', 'F32');
    const step = stepMaker();
    const rows = [TOKENS.slice(0, 6), TOKENS.slice(6)];
    const [all, some] = await logitsOf(artifact, [
      step(0, rows, [0, 0], everywhere),
      step(0, rows, [0, 0], [11, 2, 2]),
    ]);
    expect([0, 1, 2].map((index) => rowOf(some!, index))).toEqual([11, 2, 2].map((row) => rowOf(all!, row)));
  });
});

describe('the 4-bit graph', () => {
  it('stays close to the float32 graph of the same file', async () => {
    const [exact, packed] = [await built('float32', 'Q4_1'), await built('int4', 'Q4_1')];
    const steps = (): GraphRun[] => [stepMaker()(0, [TOKENS], [0], everywhere)];
    const [[expected], [got]] = [await logitsOf(exact, steps()), await logitsOf(packed, steps())];
    expect(furthest(got!, expected!)).toBeLessThan(0.5);
    const rounded = referenceLogits(TINY_SHAPE, tinyTensors(1, Q4_1, false), TOKENS).flat();
    expect(furthest(got!, expected!)).toBeLessThan(furthest(rounded, expected!) / 3);
  });
});
