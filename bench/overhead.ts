/**
 * What HTTP adds to a request of one token: the same prompts over HTTP and straight to an engine of the same kind, in turns.
 *
 *   node dist/bench/overhead.js [--model FILE] [--dtype auto] [--prompt 64] [--requests 100]
 *
 * One stands still while the other works, and they take turns in being first. Added is what isn't the engine's: HTTP, JSON,
 * validation, the handler, counting.
 */
import { parseArgs } from 'node:util';
import { resolveConfig } from '../src/config.js';
import { createLocalEngine } from '../src/engine/local.js';
import { DEFAULT_SAMPLING_PARAMS } from '../src/engine/sampling-params.js';
import { loadModel } from '../src/model/load-model.js';
import { engineOptions } from '../src/server/load-model.js';
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
const config = resolveConfig(values.model ?? null, { dtype: values.dtype }, {});
const engine = createLocalEngine(engineOptions(config, artifact, null));
await engine.ready();

const SAMPLING = { max_tokens: 1, temperature: 1 };

async function engineTime(prompt: readonly number[], id: string): Promise<number> {
  const started = performance.now();
  const generation = engine.generate(
    {
      id,
      tokenIds: Int32Array.from(prompt),
      sampling: { ...DEFAULT_SAMPLING_PARAMS, maxTokens: 1 },
      priority: 0,
      cacheSalt: null,
      rank: null,
    },
    new AbortController().signal,
  );
  for await (const _ of generation);
  return performance.now() - started;
}

async function servedTime(url: string, token_ids: readonly number[]): Promise<number> {
  return (await postJson(`${url}/inference/v1/generate`, { token_ids, sampling_params: SAMPLING })).ms;
}

const alone: number[] = [];
const served: number[] = [];
const prompts = new Prompts(7, promptLength);
const model = values.model ? [values.model] : [];
await withServer('serve', [...model, '--dtype', values.dtype], async (url) => {
  for (let request = -WARM_UPS; request < Number(values.requests); request++) {
    const prompt = prompts.next();
    const first = request % 2 === 0 ? await engineTime(prompt, `${request}`) : null;
    const overHttp = await servedTime(url, prompt);
    const direct = first ?? (await engineTime(prompt, `${request}`));
    if (request < 0) continue;
    alone.push(direct);
    served.push(overHttp);
  }
});
await engine.close(0);

const added = served.map((time, i) => time - alone[i]!);
process.stdout.write(
  `dtype ${values.dtype}, prompts of ${promptLength} tokens, ${values.requests} requests of one token: ` +
    `engine ${median(alone).toFixed(1)} ms, served ${median(served).toFixed(1)} ms; ` +
    `added ${median(added).toFixed(2)} ms at the median, ${quantile(added, 0.9).toFixed(2)} at the 90th percentile\n`,
);
