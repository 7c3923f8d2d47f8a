/**
 * Checks of the real default model, fetched if need be: greedy answers in both precisions, and how close the 4-bit
 * graph stays to float32 over English prose. Prints what it measured; exits with 1 when something is off.
 *
 *   node dist/scripts/check-default-model.js
 */
import { pathToFileURL } from 'node:url';
import { Tokenizer } from '@huggingface/tokenizers';
import { ModelRunner, type WantedOffset } from '../src/engine/model-runner.js';
import type { ModelArtifact } from '../src/model/index.js';
import { loadModel } from '../src/model/load-model.js';
import { terminalProgress } from '../src/model/terminal-progress.js';
import { openSession } from '../src/runtime/open-session.js';

/** Prompt and greedy continuation: "The capital of France is", plain and as a chat. */
const ANSWERS = [
  { prompt: [504, 3575, 282, 4649, 314], answer: [7042, 30, 198, 198, 504, 2988, 314, 42] },
  {
    prompt: [1, 4093, 198, 1780, 314, 260, 3575, 282, 4649, 47, 2, 198, 1, 520, 9531, 198],
    answer: [504, 3575, 282, 4649, 314, 7042, 30, 2],
  },
] as const;

const PROSE = `The ferry left the island a little after six, when the wind had dropped and the water lay flat and grey
under the clouds. There were only nine passengers, and most of them had gone below to sleep. Maria stayed on deck with
her coat buttoned to the chin. She had lived on the island for thirty years, and in all that time she had never watched
it grow small behind her; there had always been somebody to talk to, or a child to hold, or a basket to keep dry. Now
she counted the houses along the harbour until they ran together into one white line, and then she counted the hills.
The engineer came up for air and offered her tea from a steel flask. He told her that the engine was older than he was
and that it would run for another twenty years if people left it alone. She laughed and said that the same was true of
her. When the mainland appeared, first as a thicker piece of cloud and then as a row of lights, she found that she was
not sad at all. She was thinking about the station, and about the early train, and whether the bakery on the corner
would be open by the time she got there. Her sister would be waiting at the other end with the dog. They would walk
home along the river, and for once there would be no hurry, because the letter that she had been expecting since the
spring had finally come, and it said what she had hoped it would say.`;

/** Sets of vector instructions differ in the last bits; a build that rounds offsets away misses these by far. */
const LIMITS = { equalArgmax: 0.93, divergence: 0.01 } as const;

export interface Fidelity {
  /** Positions compared. */
  positions: number;
  /** Share of positions where both graphs prefer the same token. */
  equalArgmax: number;
  /** Mean Kullback–Leibler divergence from float32, in nats. */
  divergence: number;
}

/** Run all checks on the default model in `cacheDir` (default: the user's). Rejects with what is off. */
export async function checkDefaultModel(cacheDir?: string): Promise<Fidelity> {
  const progress = terminalProgress();
  const place = cacheDir === undefined ? {} : { cacheDir };
  const exact = await loadModel(undefined, { dtype: 'float32', progress, ...place });
  const packed = await loadModel(undefined, { dtype: 'int4', progress, ...place });
  const ids = proseIds(exact);
  const runners = [await runnerFor(exact, ids.length), await runnerFor(packed, ids.length)] as const;
  try {
    for (const [index, runner] of runners.entries())
      await checkAnswers(runner, index === 0 ? 'float32' : 'int4');
    const fidelity = await compare(runners, ids);
    if (fidelity.equalArgmax < LIMITS.equalArgmax || fidelity.divergence > LIMITS.divergence) {
      throw new Error(`the 4-bit graph is too far from float32: ${JSON.stringify(fidelity)}`);
    }
    return fidelity;
  } finally {
    for (const runner of runners) await runner.close();
  }
}

function proseIds({ tokenizer }: ModelArtifact): Int32Array {
  if (!tokenizer) throw new Error('the default model has lost its tokenizer');
  return Int32Array.from(
    new Tokenizer(tokenizer.tokenizer, tokenizer.config).encode(PROSE.replaceAll('\n', ' ')).ids,
  );
}

async function runnerFor({ graphPath, config }: ModelArtifact, length: number): Promise<ModelRunner> {
  const session = await openSession(graphPath, { backend: 'c-api', threads: 2 });
  return new ModelRunner(session, config, { slots: 1, capacity: length, maxChunk: length });
}

async function checkAnswers(runner: ModelRunner, label: string): Promise<void> {
  for (const { prompt, answer } of ANSWERS) {
    const got: number[] = [];
    let scores = await runner.prefill(0, Int32Array.from(prompt), 0, [wanted(prompt.length - 1)]);
    while (true) {
      const token = scores.row(0).topIds[0]!;
      got.push(token);
      if (got.length === answer.length) break;
      const position = prompt.length + got.length - 1;
      scores = await runner.decode([{ slot: 0, token, position, wanted: true, inverseTemperature: 1 }]);
    }
    if (got.join() !== answer.join())
      throw new Error(`${label} answers ${got.join()}, expected ${answer.join()}`);
  }
}

async function compare(
  [exact, packed]: readonly [ModelRunner, ModelRunner],
  ids: Int32Array,
): Promise<Fidelity> {
  const rows = Array.from(ids, (_, position) => wanted(position));
  const expected = await exact.prefill(0, ids, 0, rows);
  const got = await packed.prefill(0, ids, 0, rows);
  let equal = 0;
  let divergence = 0;
  for (let position = 0; position < ids.length; position++) {
    const [p, q] = [expected.row(position), got.row(position)];
    if (p.topIds[0] === q.topIds[0]) equal++;
    divergence += p.logprobs.reduce(
      (sum, logprob, id) => sum + Math.exp(logprob) * (logprob - q.logprobs[id]!),
      0,
    );
  }
  return { positions: ids.length, equalArgmax: equal / ids.length, divergence: divergence / ids.length };
}

function wanted(offset: number): WantedOffset {
  return { offset, inverseTemperature: 1 };
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  try {
    process.stdout.write(`${JSON.stringify(await checkDefaultModel())}\n`);
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`);
    process.exitCode = 1;
  }
}
