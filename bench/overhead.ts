/**
 * What a server adds to a request of one token: the same prompts over HTTP and straight to a bare session here, in turns.
 *
 *   node dist/bench/overhead.js [--model FILE] [--dtype auto] [--prompt 64] [--requests 100]
 *
 * One stands still while the other works. What is added is HTTP, JSON, validation, the engine's loop and sampling.
 */
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { ModelRunner } from '../src/engine/model-runner.js';
import { loadModel } from '../src/model/load-model.js';
import { openSession } from '../src/runtime/open-session.js';
import { postJson } from './json-http.js';
import { withServer } from './own-server.js';
import { median, quantile } from './quantile.js';
import { Prompts } from './serve/prompts.js';

const { values } = parseArgs({
  options: {
    model: { type: 'string' },
    dtype: { type: 'string', default: 'auto' },
    prompt: { type: 'string', default: '64' },
    requests: { type: 'string', default: '100' },
  },
});

const WARM_UPS = 5;
const promptLength = Number(values.prompt);
const artifact = await loadModel(values.model, { dtype: values.dtype as 'auto' });
const threads = availableParallelism();
const session = await openSession(artifact.graphPath, { backend: 'c-api', threads });
const runner = new ModelRunner(session, artifact.config, {
  slots: 1,
  capacity: promptLength + 8,
  maxChunk: promptLength,
});

async function bareTime(prompt: readonly number[]): Promise<number> {
  const started = performance.now();
  const wanted = [{ offset: promptLength - 1, inverseTemperature: 1 }];
  await runner.prefill([{ slot: 0, tokens: Int32Array.from(prompt), from: 0, wanted }]);
  return performance.now() - started;
}

async function servedTime(url: string, token_ids: readonly number[]): Promise<number> {
  const sampling_params = { max_tokens: 1, temperature: 1 };
  return (await postJson(`${url}/inference/v1/generate`, { token_ids, sampling_params })).ms;
}

const bare: number[] = [];
const served: number[] = [];
const prompts = new Prompts(7, promptLength);
const model = values.model ? [values.model] : [];
await withServer('serve', [...model, '--dtype', values.dtype], async (url) => {
  for (let request = -WARM_UPS; request < Number(values.requests); request++) {
    const prompt = prompts.next();
    const times = [await bareTime(prompt), await servedTime(url, prompt)] as const;
    if (request < 0) continue;
    bare.push(times[0]);
    served.push(times[1]);
  }
});
await runner.close();

const added = served.map((time, i) => time - bare[i]!);
process.stdout.write(
  `dtype ${values.dtype}, prompts of ${promptLength} tokens, ${values.requests} requests of one token: ` +
    `session ${median(bare).toFixed(1)} ms, served ${median(served).toFixed(1)} ms; ` +
    `added ${median(added).toFixed(2)} ms at the median, ${quantile(added, 0.9).toFixed(2)} at the 90th percentile\n`,
);
