/**
 * End-to-end throughput beside the bare session's decode rate, in interleaved rounds on the same machine.
 *
 *   node dist/bench/throughput.js [--dtype float32] [--rounds 3] [--concurrency 1,8,32] [--prompt 64] [--output 128]
 *
 * Each round measures the bare session and then the server, so that a noisy machine hits both alike. The table
 * gives medians; the share is taken round by round.
 */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { withServer } from './own-server.js';
import { median, quantile } from './quantile.js';
import { type LoadResult, runStreams } from './streams.js';

const { values } = parseArgs({
  options: {
    model: { type: 'string' },
    dtype: { type: 'string', default: 'auto' },
    rounds: { type: 'string', default: '3' },
    concurrency: { type: 'string', default: '1,8,32' },
    prompt: { type: 'string', default: '64' },
    output: { type: 'string', default: '128' },
    temperature: { type: 'string', default: '1' },
  },
});

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const concurrencies = values.concurrency.split(',').map(Number);
const model = values.model ? [values.model] : [];

async function bareRates(): Promise<Record<string, number>> {
  const args = [
    '--dtype',
    values.dtype,
    '--rows',
    values.concurrency,
    '--prompt',
    values.prompt,
    '--steps',
    values.output,
  ];
  const modelArgs = model.flatMap((path) => ['--model', path]);
  const { stdout } = await promisify(execFile)(process.execPath, [
    here('./bare-session.js'),
    ...args,
    ...modelArgs,
  ]);
  return JSON.parse(stdout) as Record<string, number>;
}

async function serverResults(): Promise<LoadResult[]> {
  const slots = String(Math.max(...concurrencies));
  return withServer('serve', [...model, '--dtype', values.dtype, '--max-num-seqs', slots], async (url) => {
    const load = {
      url,
      promptLength: Number(values.prompt),
      outputLength: Number(values.output),
      sampling: { temperature: Number(values.temperature) },
    };
    await runStreams({ ...load, concurrency: 1, outputLength: 8 });
    const results: LoadResult[] = [];
    for (const concurrency of concurrencies) results.push(await runStreams({ ...load, concurrency }));
    return results;
  });
}

const bare: Array<Record<string, number>> = [];
const served: LoadResult[][] = [];
for (let round = 0; round < Number(values.rounds); round++) {
  bare.push(await bareRates());
  served.push(await serverResults());
  if (process.stderr.isTTY) process.stderr.write(`round ${round + 1} of ${values.rounds}\r`);
}

process.stdout.write(
  `dtype ${values.dtype}, prompt ${values.prompt}, output ${values.output}, medians of ${values.rounds} rounds\n\n`,
);
process.stdout.write(
  '| streams | bare decode tok/s | served, decoding tok/s | share | served, whole run tok/s | first token p50 / p95 ms | between tokens p50 / p95 ms |\n',
);
process.stdout.write('|---|---|---|---|---|---|---|\n');
concurrencies.forEach((concurrency, i) => {
  const results = served.map((round) => round[i]!);
  const share = median(
    results.map((result, round) => result.steadyTokensPerSecond / bare[round]![concurrency]!),
  );
  const cells = [
    concurrency,
    median(bare.map((rates) => rates[concurrency]!)).toFixed(0),
    median(results.map((result) => result.steadyTokensPerSecond)).toFixed(0),
    `${(share * 100).toFixed(0)} %`,
    median(results.map((result) => result.tokensPerSecond)).toFixed(0),
    [0.5, 0.95]
      .map((q) => median(results.map(({ firstToken }) => quantile(firstToken, q))).toFixed(0))
      .join(' / '),
    [0.5, 0.95].map((q) => median(results.map(({ gaps }) => quantile(gaps, q))).toFixed(1)).join(' / '),
  ];
  process.stdout.write(`| ${cells.join(' | ')} |\n`);
});
