import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeTinyModel, TINY_SHAPE } from '../../../scripts/make-tiny-model.js';
import { kernelNeeds } from '../cpu-kernels.js';
import { F32 } from '../gguf/block-formats.js';
import { describeModel } from '../gguf/describe.js';
import { GgufFile } from '../gguf/gguf-file.js';
import { quantize } from '../gguf/quantize.js';
import { Q4_1 } from '../gguf/small-blocks.js';
import { GRAPH } from '../index.js';
import { decoderSteps } from '../testing/decoder-steps.js';
import { runGraph } from '../testing/run-graph.js';
import { temporaryFolder } from '../testing/temporary-folder.js';
import { type Matrix, Weights } from '../weights.js';
import { writeDecoder } from './decoder.js';
import { decoderWeights } from './decoder-weights.js';
import { ExternalData } from './external-data.js';
import { GraphWriter } from './graph-writer.js';
import { packedProjections } from './packed-projections.js';

const PROMPTS = [
  [1, 200, 37, 299, 5],
  [90, 111, 259, 64, 318],
  [7, 7, 12, 300, 41],
];

/** The head's rows in 4-bit blocks. */
function inFourBits(head: Matrix): Matrix {
  const read = async (): Promise<Uint8Array> => {
    const floats = new Float32Array(head.rows * head.columns);
    head.format.dequantize(await head.read(), floats);
    return quantize(Q4_1, floats);
  };
  return { ...head, format: Q4_1, read };
}

/** Logits of each prompt's last position and of a token after it: all prompts together, then each alone. */
async function logits(
  fewestRows: 1 | 2,
  headBits: 4 | 8,
): Promise<[together: number[][], alone: number[][]]> {
  const folder = await temporaryFolder();
  const file = await GgufFile.open(await makeTinyModel(folder, { format: 'Q4_1' }));
  const { architecture, shape } = describeModel(file);
  const weights = decoderWeights(architecture, shape, new Weights(file));
  if (headBits === 4) weights.head = inFourBits(weights.head!);
  await mkdir(join(folder, 'built'));
  const data = await ExternalData.create(join(folder, 'built', 'data'), 'data');
  const graph = new GraphWriter(data);
  await writeDecoder(graph, shape, weights, packedProjections(4, fewestRows), () => {});
  const path = join(folder, 'built', 'graph.onnx');
  await writeFile(path, graph.serialize('1'));
  await data.close();
  await file.close();
  const step = decoderSteps(TINY_SHAPE, PROMPTS.length, 8);
  const results = await runGraph(path, [
    step(0, PROMPTS, [0, 0, 0], [4, 9, 14]),
    step(0, [[50], [60], [70]], [5, 5, 5], [0, 1, 2]),
    ...PROMPTS.flatMap((prompt, row) => [
      step(row, [prompt], [0], [4]),
      step(row, [[50 + 10 * row]], [5], [0]),
    ]),
  ]);
  const rows = results.map((result) => Array.from(result[GRAPH.logits]!));
  const size = TINY_SHAPE.vocabSize;
  const split = (values: number[]): number[][] =>
    PROMPTS.map((_, row) => values.slice(row * size, (row + 1) * size));
  const [prefill, decode] = [split(rows[0]!), split(rows[1]!)];
  return [PROMPTS.flatMap((_, row) => [prefill[row]!, decode[row]!]), rows.slice(2)];
}

const furthest = (a: number[][], b: number[][]): number =>
  Math.max(...a.flat().map((value, i) => Math.abs(value - b.flat()[i]!)));

describe.each([8, 4] as const)('a graph of 4-bit blocks with a head of %s bits', (headBits) => {
  it('gives a row padded to two the same bits as in company', async () => {
    const [together, alone] = await logits(2, headBits);
    expect(alone).toEqual(together);
    expect(Math.max(...together.flat())).toBeGreaterThan(1);
  });

  it('computes the same as without padding', async () => {
    const [[padded, paddedAlone], [plain, alone]] = [await logits(2, headBits), await logits(1, headBits)];
    expect(plain).toEqual(padded);
    expect(furthest(alone, paddedAlone)).toBeLessThan(1e-3);
    if (kernelNeeds().fewestRows === 1) expect(alone).toEqual(paddedAlone);
  });
});

it('floats are never padded', () => {
  const matrix: Matrix = { name: 'm', rows: 8, columns: 40, format: F32, read: async () => new Uint8Array() };
  expect(packedProjections(4, 2).fewestRows(matrix, 'layers')).toBe(1);
  expect(packedProjections(4, 2).fewestRows({ ...matrix, columns: 64 }, 'layers')).toBe(2);
  expect(packedProjections(4, 2).fewestRows({ ...matrix, columns: 64 }, 'head')).toBe(1);
});
