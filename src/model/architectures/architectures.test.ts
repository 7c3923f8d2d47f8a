import { describe, expect, it } from 'vitest';
import { GRAPH, type ModelArtifact, type ModelDtype } from '../index.js';
import { loadModel } from '../load-model.js';
import { checkpointNames, type RecordedRun, unpackCheckpoint } from '../testing/checkpoints.js';
import { decoderSteps } from '../testing/decoder-steps.js';
import { type GraphRun, runGraph } from '../testing/run-graph.js';
import { temporaryFolder } from '../testing/temporary-folder.js';

const CAPACITY = 32;
const FIRST_CHUNK = 2;

const furthest = (a: ArrayLike<number>, b: ArrayLike<number>): number =>
  Array.from(a).reduce((most, value, i) => Math.max(most, Math.abs(value - b[i]!)), 0);

/** Logits of a run's recorded positions: at once; in two chunks; and one by one. */
async function logitsThreeWays({ graphPath, config }: ModelArtifact, runs: readonly RecordedRun[]) {
  const steps: GraphRun[] = [];
  for (const { ids, positions } of runs) {
    const atOnce = decoderSteps(config, 1, CAPACITY);
    const chunked = decoderSteps(config, 1, CAPACITY);
    const singly = decoderSteps(config, 1, CAPACITY);
    const rest = ids.slice(FIRST_CHUNK);
    const later = positions.filter((position) => position >= FIRST_CHUNK).map((at) => at - FIRST_CHUNK);
    steps.push(
      atOnce(0, [ids], [0], positions),
      chunked(0, [ids.slice(0, FIRST_CHUNK)], [0], [0]),
      chunked(0, [rest], [FIRST_CHUNK], later),
      ...ids.map((id, position) => singly(0, [[id]], [position], [0])),
    );
  }
  const results = (await runGraph(graphPath, steps)).map((result) => result[GRAPH.logits]!);
  const { vocabSize } = config;
  return runs.map(({ ids, positions, logits: recorded }) => {
    const [all, , chunk, ...single] = results.splice(0, 3 + ids.length);
    const rows = (values: Float32Array): Float32Array[] =>
      Array.from({ length: values.length / vocabSize }, (_, row) =>
        values.subarray(row * vocabSize, (row + 1) * vocabSize),
      );
    const ways = {
      'at once': rows(all!),
      'in chunks': rows(chunk!),
      'one by one': positions.map((position) => single[position]!),
    };
    return Object.entries(ways).map(([way, got]) => ({
      way: `${ids.length} ids ${way}`,
      distance: furthest(
        got.flatMap((row) => [...row]),
        recorded.slice(-got.length).flat(),
      ),
    }));
  });
}

const names = await checkpointNames();

async function sourcesOf(
  name: string,
): Promise<{ cacheDir: string; sources: string[]; runs: RecordedRun[] }> {
  const cacheDir = await temporaryFolder();
  const { folder, gguf, runs } = await unpackCheckpoint(name, cacheDir);
  return { cacheDir, sources: gguf === null ? [folder] : [folder, gguf], runs };
}

/** How far rounding may move a row of a tiny random model; unrelated rows are 1.4 apart. Experts are chosen by narrow margins. */
const BOUNDS: Record<ModelDtype, (artifact: ModelArtifact) => number> = {
  float32: () => 1e-9,
  int8: () => 0.15,
  int4: ({ config }) => (config.experts ? 0.9 : 0.4),
};

const PROMPTS = [
  [5, 17, 93, 41],
  [60, 8, 8, 22],
  [31, 4, 77, 50],
];

/** Logits of each prompt's last position and of a token after it: all prompts together, then each alone. */
async function companyAndAlone({ graphPath, config }: ModelArtifact): Promise<[number[][], number[][]]> {
  const step = decoderSteps(config, PROMPTS.length, 8);
  const results = await runGraph(graphPath, [
    step(0, PROMPTS, [0, 0, 0], [3, 7, 11]),
    step(0, [[50], [60], [70]], [4, 4, 4], [0, 1, 2]),
    ...PROMPTS.flatMap((prompt, row) => [
      step(row, [prompt], [0], [3]),
      step(row, [[50 + 10 * row]], [4], [0]),
    ]),
  ]);
  const rows = results.map((result) => [...result[GRAPH.logits]!]);
  const size = config.vocabSize;
  const row = (step: number, index: number): number[] => rows[step]!.slice(index * size, (index + 1) * size);
  return [PROMPTS.flatMap((_, index) => [row(0, index), row(1, index)]), rows.slice(2)];
}

/**
 * Root mean square of the differences as a share of that of the values, of the row in the middle: rounding may send a row
 * to other experts, which changes it much.
 */
function relativeError(got: readonly number[][], exact: readonly number[][]): number {
  const power = (values: readonly number[]): number => values.reduce((sum, value) => sum + value * value, 0);
  const errors = got.map((row, index) =>
    Math.sqrt(power(row.map((value, i) => value - exact[index]![i]!)) / power(exact[index]!)),
  );
  return errors.sort((x, y) => x - y)[errors.length >> 1]!;
}

describe.each(names)('%s', (name) => {
  it('gives the logits that transformers recorded, as a folder and as GGUF', async () => {
    const { cacheDir, sources, runs } = await sourcesOf(name);
    for (const source of sources) {
      const artifact = await loadModel(source, { cacheDir, dtype: 'float32' });
      const found = (await logitsThreeWays(artifact, runs)).flat();
      expect(
        found.filter(({ distance }) => !(distance < 1e-3)),
        source,
      ).toEqual([]);
      expect(found).toHaveLength(9);
    }
  });

  it('gives a row the same bits in company and alone, in every precision', async () => {
    const { cacheDir, sources } = await sourcesOf(name);
    let exact: number[][] = [];
    for (const dtype of ['float32', 'int8', 'int4'] as const) {
      const artifact = await loadModel(sources[0], { cacheDir, dtype });
      const [company, alone] = await companyAndAlone(artifact);
      expect(alone, dtype).toEqual(company);
      if (dtype === 'float32') exact = company;
      expect(relativeError(company, exact), dtype).toBeLessThan(BOUNDS[dtype](artifact));
    }
  });
});

describe.each(['mixtral', 'olmoe', 'qwen3moe'])('%s', (name) => {
  it('sends positions to the experts that transformers recorded', async () => {
    const { cacheDir, sources, runs } = await sourcesOf(name);
    for (const source of sources) {
      const { graphPath, config } = await loadModel(source, { cacheDir, dtype: 'float32' });
      const { layers, experts } = config;
      const results = await runGraph(
        graphPath,
        runs.map(({ ids }) => ({
          ...decoderSteps(config, 1, CAPACITY)(0, [ids], [0], [ids.length - 1]),
          outputs: [{ name: GRAPH.routedExperts, dims: [ids.length, layers, experts!.used], type: 'int32' }],
        })),
      );
      const found = results.map((result) => [...result[GRAPH.routedExperts]!]);
      expect(found).toEqual(runs.map((run) => run.experts!.flat(2)));
      expect(new Set(found.flat()).size).toBe(experts!.count);
    }
  });
});
