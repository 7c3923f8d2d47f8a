/**
 * Time to first token of a prompt whose beginning was computed before, beside one that is new.
 *
 *   node dist/bench/prefix.js [--model FILE] [--dtype auto] [--prefix 1000] [--rounds 5]
 *
 * Each round sends a prompt with a new prefix and then another with the same prefix; both end in 8 tokens of their own.
 */
import { parseArgs } from 'node:util';
import { postJson } from './json-http.js';
import { withServer } from './own-server.js';
import { median } from './quantile.js';

const { values } = parseArgs({
  options: {
    model: { type: 'string' },
    dtype: { type: 'string', default: 'auto' },
    prefix: { type: 'string', default: '1000' },
    rounds: { type: 'string', default: '5' },
  },
});

const prefixLength = Number(values.prefix);
const someIds = (length: number, seed: number): number[] =>
  Array.from({ length }, (_, i) => 100 + ((seed * 104_729 + i * 7919) % 20_000));

/** Milliseconds from sending to the end of an answer of one token. */
async function firstToken(url: string, token_ids: number[]): Promise<number> {
  const sampling_params = { temperature: 0, max_tokens: 1 };
  return (await postJson(`${url}/inference/v1/generate`, { token_ids, sampling_params })).ms;
}

const fresh: number[] = [];
const shared: number[] = [];
const model = values.model ? [values.model] : [];
await withServer('serve', [...model, '--dtype', values.dtype], async (url) => {
  await firstToken(url, someIds(8, 1));
  for (let round = 0; round < Number(values.rounds); round++) {
    const prefix = someIds(prefixLength, 2 + round);
    fresh.push(await firstToken(url, [...prefix, ...someIds(8, 1000 + round)]));
    shared.push(await firstToken(url, [...prefix, ...someIds(8, 2000 + round)]));
  }
});

const [before, after] = [median(fresh), median(shared)];
process.stdout.write(
  `dtype ${values.dtype}, prefix ${prefixLength} tokens, medians of ${values.rounds} rounds: ` +
    `${before.toFixed(0)} ms new, ${after.toFixed(1)} ms shared, ${(before / after).toFixed(1)} times less\n`,
);
