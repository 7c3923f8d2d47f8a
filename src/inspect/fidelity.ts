import { readFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { ModelRunner } from '../engine/model-runner.js';
import type { ScoredRows } from '../engine/scored-row.js';
import { StartupError } from '../errors.js';
import type { ModelArtifact, ModelDtype } from '../model/index.js';
import { loadModel } from '../model/load-model.js';
import type { Progress } from '../model/progress.js';
import { packageRoot } from '../package-info.js';
import { openSession } from '../runtime/open-session.js';
import { encodeText } from '../text/text-encoding.js';
import { createTokenizer } from '../text/tokenizer.js';

const WINDOW = 256;
const TEXT = join(packageRoot, 'texts/opticks.txt');

/** How far a graph is from the same weights in float32. */
export interface Fidelity {
  dtype: ModelDtype;
  /** Positions compared. */
  positions: number;
  /** Of the text, given the graph. */
  perplexity: number;
  /** Of the text, given the float32 graph. */
  exactPerplexity: number;
  /** Mean Kullback–Leibler divergence from float32, in nats. */
  divergence: number;
  /** Share of positions where both prefer the same token. */
  equalArgmax: number;
}

export interface FidelityJob {
  model: string | undefined;
  dtypes: readonly ModelDtype[];
  /** Tokens of the text, in windows of 256 that know nothing of one another. */
  tokens: number;
  progress: Progress;
  /** As for `loadModel`. */
  revision?: string;
}

/** Compare graphs with the float32 graph of the same weights over public-domain prose. Rejects with a StartupError as loading does. */
export async function measureFidelity({ model, dtypes, tokens, ...where }: FidelityJob): Promise<Fidelity[]> {
  const { progress } = where;
  const exact = await loadModel(model, { ...where, dtype: 'float32' });
  const windows = windowsOf(await textIds(exact), tokens);
  const others = [];
  for (const dtype of dtypes) others.push(await loadModel(model, { ...where, dtype }));
  const runners = [];
  for (const artifact of [exact, ...others]) runners.push(await runnerFor(artifact));
  const sums = dtypes.map(() => new Sums());
  const bar = progress.start('Comparing precisions', windows.length, 'windows');
  try {
    for (const ids of windows) {
      const [expected, ...got] = await scoresOf(runners, ids);
      for (const [i, scores] of got.entries()) sums[i]!.add(ids, expected!, scores);
      bar.advance(1);
    }
  } finally {
    bar.end();
    for (const runner of runners) await runner.close();
  }
  return sums.map((sum, i) => sum.result(dtypes[i]!));
}

class Sums {
  private positions = 0;
  private scored = 0;
  private equal = 0;
  private divergence = 0;
  private loss = 0;
  private exactLoss = 0;

  add(ids: Int32Array, expected: ScoredRows, got: ScoredRows): void {
    for (let position = 0; position < ids.length; position++) {
      const [p, q] = [expected.row(position), got.row(position)];
      this.positions++;
      if (p.topIds[0] === q.topIds[0]) this.equal++;
      this.divergence += divergence(p.logprobs, q.logprobs);
      const next = ids[position + 1];
      if (next === undefined) continue;
      this.scored++;
      this.exactLoss -= p.logprobs[next]!;
      this.loss -= q.logprobs[next]!;
    }
  }

  result(dtype: ModelDtype): Fidelity {
    return {
      dtype,
      positions: this.positions,
      perplexity: Math.exp(this.loss / this.scored),
      exactPerplexity: Math.exp(this.exactLoss / this.scored),
      divergence: this.divergence / this.positions,
      equalArgmax: this.equal / this.positions,
    };
  }
}

function divergence(p: Float32Array, q: Float32Array): number {
  let sum = 0;
  for (let id = 0; id < p.length; id++) sum += Math.exp(p[id]!) * (p[id]! - q[id]!);
  return sum;
}

async function textIds(artifact: ModelArtifact): Promise<number[]> {
  if (!artifact.tokenizer)
    throw new StartupError(`${artifact.source} brings no tokenizer to read a text with.`);
  const text = await readFile(TEXT, 'utf8');
  return [
    ...encodeText(createTokenizer(artifact.tokenizer), text, { addSpecialTokens: false, withOffsets: false })
      .ids,
  ];
}

function windowsOf(ids: readonly number[], tokens: number): Int32Array[] {
  const count = Math.floor(Math.min(tokens, ids.length) / WINDOW);
  return Array.from({ length: count }, (_, i) => Int32Array.from(ids.slice(i * WINDOW, (i + 1) * WINDOW)));
}

async function runnerFor({ graphPath, config }: ModelArtifact): Promise<ModelRunner> {
  const session = await openSession(graphPath, { backend: 'c-api', threads: availableParallelism() });
  return new ModelRunner(session, config, { slots: 1, capacity: WINDOW, maxChunk: WINDOW });
}

async function scoresOf(runners: readonly ModelRunner[], ids: Int32Array): Promise<ScoredRows[]> {
  const wanted = Array.from(ids, (_, offset) => ({ offset, inverseTemperature: 1 }));
  const scores = [];
  for (const runner of runners)
    scores.push(await runner.prefill([{ slot: 0, tokens: ids, from: 0, wanted }]));
  return scores;
}
