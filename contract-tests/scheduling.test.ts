import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeTinyModel } from '../scripts/make-tiny-model.js';
import { Caller, eventually, type Frame, framesOf, idsOf } from './client.js';
import { startTito } from './own-server.js';

const PROMPT = [5, 6, 7, 8];
const endless = { temperature: 0, ignore_eos: true, max_tokens: 2000 };

let folder = '';
let model = '';
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tito-scheduling-'));
  model = await makeTinyModel(folder);
});
afterAll(() => rmSync(folder, { recursive: true }));

async function withServer(
  args: string[],
  use: (caller: Caller, pid: number) => Promise<void>,
): Promise<void> {
  const server = await startTito([model, '--enable-scale-out', ...args], { TITO_CACHE: folder });
  try {
    await use(new Caller(server.url), server.pid);
  } finally {
    await server.stop();
  }
}

describe('--data-parallel-size', () => {
  it('pins, balances, and keeps the other rank going when one dies', async () => {
    await withServer(['--data-parallel-size', '2'], async (caller, pid) => {
      const on = (rank: string): RequestInit => ({ headers: { 'x-data-parallel-rank': rank } });
      const expected = await caller.generate(
        { token_ids: PROMPT, sampling_params: { ...endless, max_tokens: 300 } },
        on('0'),
      );
      const other = await caller.generate(
        { token_ids: PROMPT, sampling_params: { ...endless, max_tokens: 300 } },
        on('1'),
      );
      expect(other.choices).toEqual(expected.choices);
      const refused = await caller.post(
        '/inference/v1/generate',
        { token_ids: PROMPT, sampling_params: {} },
        on('2'),
      );
      expect(refused.status).toBe(400);

      const streams = [0, 1].map((rank) =>
        framesOf(caller.stream({ token_ids: PROMPT, sampling_params: endless }, on(String(rank)))),
      );
      await eventually(async () => (await caller.metric('vllm:num_requests_running')) === 2, 5000);
      const [first] = execFileSync('pgrep', ['-P', String(pid)], { encoding: 'utf8' })
        .trim()
        .split('\n');
      process.kill(Number(first), 'SIGKILL');
      const ends = (await Promise.all(streams)).map(lastOf);
      expect(ends.map(({ error }) => error !== undefined).sort()).toEqual([false, true]);
      expect(ends.find(({ error }) => !error)?.tokens).toBe(2000);
      expect((await fetch(`${caller.url}/health`)).status).toBe(200);
    });
  });
});

describe('--scheduling-policy priority', () => {
  it('lets an important request take the slot of another, which goes on afterwards and loses nothing', async () => {
    await withServer(['--scheduling-policy', 'priority', '--max-num-seqs', '1'], async (caller) => {
      const slow = { token_ids: PROMPT, sampling_params: { ...endless, max_tokens: 800 }, priority: 5 };
      const expected = (await caller.generate(slow)).choices[0]!.token_ids;
      const running = caller.generate(slow);
      await eventually(async () => (await caller.metric('vllm:num_requests_running')) === 1, 5000);
      const urgent = caller.generate({
        token_ids: [9, 8],
        sampling_params: { ...endless, max_tokens: 5 },
        priority: 0,
      });
      const first = await Promise.race([running.then(() => 'slow'), urgent.then(() => 'urgent')]);
      expect(first).toBe('urgent');
      expect((await running).choices[0]!.token_ids).toEqual(expected);
      expect(await caller.metric('vllm:num_preemptions_total')).toBe(1);
    });
  });
});

describe('the queue', () => {
  it('refuses what goes beyond --max-queue, with Retry-After', async () => {
    await withServer(['--max-num-seqs', '1', '--max-queue', '1'], async (caller) => {
      const held = [1, 2].map(() =>
        caller.generate({ token_ids: PROMPT, sampling_params: endless, request_id: 'held' }),
      );
      await eventually(async () => (await caller.metric('vllm:num_requests_waiting')) === 1, 5000);
      const refused = await caller.post('/inference/v1/generate', {
        token_ids: PROMPT,
        sampling_params: {},
        stream: true,
      });
      expect(refused.status).toBe(503);
      expect(refused.headers.get('retry-after')).toMatch(/^\d+$/);
      await caller.abort('generate-tokens-held');
      await Promise.all(held);
    });
  });
});

describe('--kv-cache-memory', () => {
  it('bounds the sequences that run at once', async () => {
    // 2 layers × 2 × 2 heads × 16 dimensions × 2048 positions × 4 bytes = 1 MiB a sequence.
    await withServer(['--kv-cache-memory', '2', '--max-num-seqs', '8'], async (caller) => {
      expect(await caller.metric('tito:kv_cache_bytes')).toBe(2 * 2 ** 20);
      const all = Array.from({ length: 4 }, () =>
        caller.generate({ token_ids: PROMPT, sampling_params: endless, request_id: 'many' }),
      );
      await eventually(async () => (await caller.metric('vllm:num_requests_waiting')) === 2, 5000);
      expect(await caller.metric('vllm:num_requests_running')).toBe(2);
      await caller.abort('generate-tokens-many');
      await Promise.all(all);
    });
  });
});

describe('--runtime node', () => {
  it('gives the same tokens through the stock binding', async () => {
    const request = { token_ids: PROMPT, sampling_params: { ...endless, max_tokens: 40 } };
    const answers: unknown[] = [];
    for (const runtime of ['c-api', 'node']) {
      await withServer(['--runtime', runtime, '--max-num-seqs', '2'], async (caller) => {
        answers.push((await caller.generate(request)).choices[0]!.token_ids);
      });
    }
    expect(answers[1]).toEqual(answers[0]);
  });
});

function lastOf(frames: readonly Frame[]): { error?: unknown; tokens: number } {
  const error = frames.find((frame) => 'error' in frame);
  return { ...(error ? { error } : {}), tokens: idsOf(frames)[0]?.length ?? 0 };
}
