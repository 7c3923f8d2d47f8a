/**
 * Chat renders a second by how many are asked for at once, beside the reference.
 *
 *   node dist/bench/render.js [--model FILE] [--reference URL] [--rounds 5] [--concurrency 1,4,8,16] [--seconds 3]
 *
 * The reference has to run with the same model (docs/performance.md).
 */
import { parseArgs } from 'node:util';
import { someChats } from './chats.js';
import { contenders, inRounds } from './contenders.js';
import { postJson } from './json-http.js';
import { withServer } from './own-server.js';
import { median, quantile } from './quantile.js';
import { printTable, withSpread } from './table.js';

const { values } = parseArgs({
  options: {
    model: { type: 'string' },
    reference: { type: 'string' },
    concurrency: { type: 'string', default: '1,4,8,16' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '3' },
  },
});

const chats = someChats();
const concurrencies = values.concurrency.split(',').map(Number);
let tokens = 0;

interface Rate {
  perSecond: number;
  /** Milliseconds of each request. */
  times: number[];
}

async function renderFor(url: string, seconds: number, concurrency: number): Promise<Rate> {
  const times: number[] = [];
  const started = performance.now();
  const until = started + seconds * 1000;
  let next = 0;
  const worker = async (): Promise<void> => {
    while (performance.now() < until) {
      const chat = chats[next++ % chats.length]!;
      const { answer, ms } = await postJson<{ token_ids: number[] }>(
        `${url}/v1/chat/completions/render`,
        chat,
      );
      tokens = answer.token_ids.length;
      times.push(ms);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  return { perSecond: (times.length * 1000) / (performance.now() - started), times };
}

const rows: unknown[][] = [];
await withServer('render-server', values.model ? [values.model] : [], async (own) => {
  const among = contenders(own, values.reference);
  for (const { url } of among) await renderFor(url, 2, 8);
  for (const concurrency of concurrencies) {
    const results = await inRounds(among, Number(values.rounds), ({ url }) =>
      renderFor(url, Number(values.seconds), concurrency),
    );
    const [ours, theirs] = [...results.values()].map((rates) => rates.map(({ perSecond }) => perSecond));
    for (const [{ name }, rates] of results) {
      const times = rates.flatMap((rate) => rate.times);
      const rate = withSpread(
        rates.map(({ perSecond }) => perSecond),
        0,
      );
      rows.push([concurrency, name, rate, [0.5, 0.95].map((q) => quantile(times, q).toFixed(1)).join(' / ')]);
    }
    if (theirs) {
      const ratios = ours!.map((rate, round) => rate / theirs[round]!);
      rows.at(-2)!.push(`${median(ratios).toFixed(1)} times`);
      rows.at(-1)!.push('1');
    }
  }
});

process.stdout.write(
  `chats of about ${tokens} tokens, medians of ${values.rounds} rounds of ${values.seconds} s (and the least and most)\n\n`,
);
const head = ['at once', 'server', 'renders a second', 'ms p50 / p95'];
printTable(values.reference ? [...head, 'of the reference'] : head, rows);
