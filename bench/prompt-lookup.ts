/**
 * What guessing from the prompt gains one stream: greedy answers to a request to repeat a text, and to one for a story.
 *
 *   node dist/bench/prompt-lookup.js [--model FILE] [--dtype auto] [--guesses 4,8] [--rounds 3]
 *
 * Servers with and without run side by side and take turns.
 */
import { parseArgs } from 'node:util';
import type { GenerateRequest } from '../generated/types.js';
import { type Contender, inRounds } from './contenders.js';
import { postJson } from './json-http.js';
import { withServer } from './own-server.js';
import { median } from './quantile.js';
import { printTable } from './table.js';

const { values } = parseArgs({
  options: {
    model: { type: 'string' },
    dtype: { type: 'string', default: 'auto' },
    guesses: { type: 'string', default: '4,8' },
    rounds: { type: 'string', default: '3' },
  },
});

const TEXT =
  'The harbour opens at six. Boats longer than twelve metres wait for the pilot at the outer buoy. Fees are paid at the ' +
  'white house beside the crane, in cash, before the first night. Water is free, electricity is not.';
const QUESTIONS: Record<string, string> = {
  'repeat a text': `Repeat this text word for word, and nothing else:\n\n${TEXT}`,
  'tell a story': 'Tell a story of a fisherman who finds a letter.',
};
const OUTPUT = 80;

async function tokensPerSecond(url: string, question: string): Promise<number> {
  const chat = { messages: [{ role: 'user', content: question }], temperature: 0, max_tokens: OUTPUT };
  const rendered = await postJson<GenerateRequest>(`${url}/v1/chat/completions/render`, chat);
  const { token_ids, sampling_params } = rendered.answer;
  const request = { token_ids, sampling_params: { ...sampling_params, ignore_eos: true } };
  const { ms } = await postJson(`${url}/inference/v1/generate`, request);
  return (OUTPUT * 1000) / ms;
}

const guesses = [0, ...values.guesses.split(',').map(Number)];
const model = values.model ? [values.model] : [];

/** Serve with each number of guesses side by side. */
async function withServers<T>(
  left: readonly number[],
  use: (among: readonly Contender[]) => Promise<T>,
  started: readonly Contender[] = [],
): Promise<T> {
  const [count, ...others] = left;
  if (count === undefined) return use(started);
  const args = [...model, '--dtype', values.dtype, '--prompt-lookup', String(count), '--max-num-seqs', '1'];
  const name = count === 0 ? 'without' : `${count} guesses`;
  return withServer('serve', args, (url) => withServers(others, use, [...started, { name, url }]));
}

await withServers(guesses, async (among) => {
  const rows: string[][] = [];
  for (const [task, question] of Object.entries(QUESTIONS)) {
    await inRounds(among, 1, ({ url }) => tokensPerSecond(url, question));
    const rates = await inRounds(among, Number(values.rounds), ({ url }) => tokensPerSecond(url, question));
    rows.push([task, ...among.map((contender) => median(rates.get(contender)!).toFixed(0))]);
  }
  printTable(['task', ...among.map(({ name }) => `${name}, tokens/s`)], rows);
});
