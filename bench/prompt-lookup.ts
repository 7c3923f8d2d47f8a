/**
 * What guessing from the prompt gains one stream: greedy answers to a request to repeat a text, and to one for a story.
 *
 *   node dist/bench/prompt-lookup.js [--model FILE] [--dtype auto] [--guesses 4,8] [--rounds 3]
 *
 * Servers with and without run side by side and take turns.
 */
import { parseArgs } from 'node:util';
import type { GenerateRequest } from '../generated/types.js';
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
const rates = new Map<string, number[]>();

/** Start a server for each number of guesses, then measure them in turns. */
async function measure(left: readonly number[], urls: ReadonlyMap<number, string>): Promise<void> {
  const [next, ...others] = left;
  if (next !== undefined) {
    const args = [...model, '--dtype', values.dtype, '--prompt-lookup', String(next), '--max-num-seqs', '1'];
    return withServer('serve', args, (url) => measure(others, new Map([...urls, [next, url]])));
  }
  for (let round = -1; round < Number(values.rounds); round++) {
    for (const [name, question] of Object.entries(QUESTIONS)) {
      for (const [count, url] of urls) {
        const rate = await tokensPerSecond(url, question);
        const key = `${name}:${count}`;
        if (round >= 0) rates.set(key, [...(rates.get(key) ?? []), rate]);
      }
    }
  }
}

await measure(guesses, new Map());
printTable(
  ['task', ...guesses.map((count) => (count === 0 ? 'without, tokens/s' : `${count} guesses, tokens/s`))],
  Object.keys(QUESTIONS).map((name) => [
    name,
    ...guesses.map((count) => median(rates.get(`${name}:${count}`)!).toFixed(0)),
  ]),
);
