/** Memory levels off, whichever way requests end. */
import { describe, expect, it } from 'vitest';
import type { GenerateRequest } from '../generated/types.js';
import type { Caller } from './client.js';
import { residentMiB, SMALL_HEAPS } from './resident-memory.js';
import { tinyServer } from './tiny-server.js';

const PROMPT = [40, 41, 42, 43];
const REQUESTS = 300;
const AT_ONCE = 8;
const MAY_GROW = 1.03;

const ask = (sampling: GenerateRequest['sampling_params']): GenerateRequest => ({
  token_ids: PROMPT,
  sampling_params: { temperature: 1, ignore_eos: true, logprobs: 2, ...sampling },
});

/** Each sends one request and sees it end in its way. */
const WAYS: Record<string, (caller: Caller, i: number) => Promise<unknown>> = {
  stop: (caller) => caller.generate(ask({ stop_token_ids: [50], logit_bias: { 50: 100 } })),
  length: (caller) => caller.generate(ask({ max_tokens: 8 })),
  abort: async (caller, i) => {
    const answer = caller.generate({ ...ask({ max_tokens: 1000 }), request_id: `abort-${i}` });
    await new Promise((resolve) => setTimeout(resolve, 15));
    await caller.abort(`generate-tokens-abort-${i}`);
    return answer;
  },
  error: (caller) => caller.post('/inference/v1/generate', ask({ stop_token_ids: [9999] })),
  disconnect: async (caller) => {
    const leaving = new AbortController();
    try {
      for await (const _ of caller.stream(ask({ max_tokens: 1000 }), { signal: leaving.signal }))
        leaving.abort();
    } catch {
      // The abort ends the reading.
    }
  },
};

const tiny = tinyServer(['--max-num-seqs', String(AT_ONCE), '--max-model-len', '1024'], { env: SMALL_HEAPS });

async function run(way: keyof typeof WAYS, count: number): Promise<number[]> {
  const memory: number[] = [];
  for (let done = 0; done < count; done += AT_ONCE) {
    await Promise.all(Array.from({ length: AT_ONCE }, (_, i) => WAYS[way]!(tiny.caller, done + i)));
    memory.push(residentMiB(tiny.server.pid));
  }
  return memory;
}

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

// Resident memory is read from /proc.
describe.runIf(process.platform === 'linux')(`${REQUESTS} requests`, () => {
  it.each(Object.keys(WAYS))('that end by %s', async (way) => {
    const memory = await run(way, REQUESTS);
    const quarter = Math.floor(memory.length / 4);
    const [third, last] = [mean(memory.slice(-2 * quarter, -quarter)), mean(memory.slice(-quarter))];
    expect(last / third, memory.map(Math.round).join(' ')).toBeLessThan(MAY_GROW);
  });
});
