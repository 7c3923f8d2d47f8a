/**
 * Time from the command to the first token, model in the cache.
 *
 *   node dist/bench/start.js [--model FILE] [--dtype int4,float32,int8] [--rounds 5]
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { postJson } from './json-http.js';
import { freePort, healthy } from './own-server.js';
import { printTable, withSpread } from './table.js';

const { values } = parseArgs({
  options: {
    model: { type: 'string' },
    dtype: { type: 'string', default: 'int4,float32,int8' },
    rounds: { type: 'string', default: '5' },
  },
});

const CLI = fileURLToPath(new URL('../src/cli.js', import.meta.url));

/** Milliseconds from the command to /health 200 and to the end of an answer of one token. */
async function start(dtype: string): Promise<{ health: number; firstToken: number }> {
  const port = await freePort();
  const args = [
    'serve',
    ...(values.model ? [values.model] : []),
    '--enable-scale-out',
    '--log-level',
    'error',
  ];
  const started = performance.now();
  const server = spawn(process.execPath, [CLI, ...args, '--port', String(port), '--dtype', dtype], {
    stdio: 'inherit',
  });
  try {
    const url = `http://127.0.0.1:${port}`;
    await healthy(url, 5);
    const health = performance.now() - started;
    const request = { token_ids: [1, 2, 3, 4], sampling_params: { max_tokens: 1, temperature: 0 } };
    await postJson(`${url}/inference/v1/generate`, request);
    return { health, firstToken: performance.now() - started };
  } finally {
    server.kill('SIGTERM');
    await once(server, 'exit');
  }
}

const dtypes = values.dtype.split(',');
const starts = new Map(dtypes.map((dtype) => [dtype, [] as Array<{ health: number; firstToken: number }>]));
for (const dtype of dtypes) await start(dtype);
for (let round = 0; round < Number(values.rounds); round++) {
  for (const dtype of dtypes) starts.get(dtype)!.push(await start(dtype));
  if (process.stderr.isTTY) process.stderr.write(`round ${round + 1} of ${values.rounds}\r`);
}
printTable(
  ['precision', 'to /health 200, ms', 'to the first token, ms'],
  dtypes.map((dtype) => {
    const all = starts.get(dtype)!;
    return [
      dtype,
      withSpread(
        all.map(({ health }) => health),
        0,
      ),
      withSpread(
        all.map(({ firstToken }) => firstToken),
        0,
      ),
    ];
  }),
);
