/**
 * What context costs: tokens a second of the bare session with so many positions before, and the share of a step that
 * grows with them, which is attention's.
 *
 *   node dist/bench/context.js [--model FILE] [--dtype auto] [--context 256,1024,4096] [--rows 1,8] [--steps 16] [--rounds 3]
 *
 * Contexts take turns, so that a noisy machine hits all alike. The share compares a step with one after 16 positions.
 */
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { ModelRunner } from '../src/engine/model-runner.js';
import { loadModel } from '../src/model/load-model.js';
import { openSession } from '../src/runtime/open-session.js';
import { median } from './quantile.js';
import { printTable } from './table.js';

const { values } = parseArgs({
  options: {
    model: { type: 'string' },
    dtype: { type: 'string', default: 'auto' },
    context: { type: 'string', default: '256,1024,4096' },
    rows: { type: 'string', default: '1,8' },
    steps: { type: 'string', default: '16' },
    rounds: { type: 'string', default: '3' },
  },
});

const FEW_POSITIONS = 16;
const steps = Number(values.steps);
const rowCounts = values.rows.split(',').map(Number);
const contexts = [FEW_POSITIONS, ...values.context.split(',').map(Number)];

const artifact = await loadModel(values.model, { dtype: values.dtype as 'auto' });
const threads = availableParallelism();
const session = await openSession(artifact.graphPath, { backend: 'c-api', threads });
const runner = new ModelRunner(session, artifact.config, {
  slots: Math.max(...rowCounts),
  capacity: Math.max(...contexts) + steps,
  maxChunk: 256,
});

/** Milliseconds of a decode step of `rows` rows after `context` positions. What those hold doesn't change the time. */
async function stepTime(rows: number, context: number): Promise<number> {
  const times: number[] = [];
  for (let step = 0; step < steps; step++) {
    const started = performance.now();
    await runner.decode(
      Array.from({ length: rows }, (_, slot) => ({
        slot,
        token: 100 + slot,
        position: context + step,
        wanted: true,
        inverseTemperature: 1,
      })),
    );
    times.push(performance.now() - started);
  }
  return median(times);
}

const table: unknown[][] = [];
for (const rows of rowCounts) {
  const times = new Map(contexts.map((context) => [context, [] as number[]]));
  for (const context of contexts) await stepTime(rows, context);
  for (let round = 0; round < Number(values.rounds); round++) {
    for (const context of contexts) times.get(context)!.push(await stepTime(rows, context));
  }
  const fewest = median(times.get(FEW_POSITIONS)!);
  for (const context of contexts.slice(1)) {
    const time = median(times.get(context)!);
    const share = Math.max(0, 1 - fewest / time);
    table.push([
      rows,
      context,
      ((rows * 1000) / time).toFixed(0),
      time.toFixed(1),
      `${(share * 100).toFixed(0)} %`,
      (((time - fewest) * 1000) / (rows * context)).toFixed(2),
    ]);
  }
}
printTable(
  [
    ...['streams', 'context', 'tokens/s', 'step, ms'],
    ...['share of attention over the context', 'µs for a position and stream'],
  ],
  table,
);
await runner.close();
