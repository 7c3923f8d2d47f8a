/**
 * The bare session's decode rate: the model runner alone, no scheduler, sampler or server.
 *
 *   node dist/bench/bare-session.js [--dtype float32] [--rows 1,8,32] [--prompt 64] [--steps 64]
 *
 * Prints one JSON line: `{ "1": tokens/s, "8": …, "32": … }`.
 */
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { ModelRunner } from '../src/engine/model-runner.js';
import { loadModel } from '../src/model/load-model.js';
import { openSession } from '../src/runtime/open-session.js';

const { values } = parseArgs({
  options: {
    model: { type: 'string' },
    dtype: { type: 'string', default: 'auto' },
    rows: { type: 'string', default: '1,8,32' },
    prompt: { type: 'string', default: '64' },
    steps: { type: 'string', default: '64' },
    threads: { type: 'string', default: String(availableParallelism()) },
  },
});

const promptLength = Number(values.prompt);
const steps = Number(values.steps);
const rowCounts = values.rows.split(',').map(Number);

const artifact = await loadModel(values.model, { dtype: values.dtype as 'auto' });
const session = await openSession(artifact.graphPath, { backend: 'c-api', threads: Number(values.threads) });
const runner = new ModelRunner(session, artifact.config, {
  slots: Math.max(...rowCounts),
  capacity: promptLength + steps + 8,
  maxChunk: promptLength,
});

const prompt = Int32Array.from({ length: promptLength }, (_, i) => 100 + ((i * 7919) % 20_000));
for (let slot = 0; slot < runner.limits.slots; slot++)
  await runner.prefill([
    { slot, tokens: prompt, from: 0, wanted: [{ offset: promptLength - 1, inverseTemperature: 1 }] },
  ]);

const rates: Record<string, number> = {};
for (const rows of rowCounts) {
  await decodeSteps(rows, 4);
  const started = performance.now();
  await decodeSteps(rows, steps);
  rates[rows] = Math.round((rows * steps * 10_000) / (performance.now() - started)) / 10;
}
process.stdout.write(`${JSON.stringify(rates)}\n`);
await runner.close();

async function decodeSteps(rows: number, count: number): Promise<void> {
  for (let step = 0; step < count; step++) {
    const position = promptLength + step;
    await runner.decode(
      Array.from({ length: rows }, (_, slot) => ({
        slot,
        token: 100 + slot,
        position,
        wanted: true,
        inverseTemperature: 1,
      })),
    );
  }
}
