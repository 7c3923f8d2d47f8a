import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeTinyModel } from '../scripts/make-tiny-model.js';
import { Caller, eventually, type Frame, framesOf, idsOf } from './client.js';
import { type RunningServer, startTito } from './own-server.js';

const SLOTS = 4;
const PROMPT = [5, 6, 7, 8];
const endless = { temperature: 0, ignore_eos: true };

let folder = '';
let model = '';
let server: RunningServer;
let caller: Caller;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tito-lifecycle-'));
  model = await makeTinyModel(folder);
  server = await startTito([model, '--enable-scale-out', '--max-num-seqs', String(SLOTS)], {
    TITO_CACHE: folder,
  });
  caller = new Caller(server.url);
});
afterAll(async () => {
  await server?.stop();
  rmSync(folder, { recursive: true });
});

const idle = async (): Promise<boolean> =>
  (await caller.metric('vllm:num_requests_running')) === 0 &&
  (await caller.metric('vllm:num_requests_waiting')) === 0;

const isChunk = (frame: Frame): frame is Extract<Frame, { chunk: unknown }> => 'chunk' in frame;

describe('abort', () => {
  it('ends a stream with its partial output, the spans, the usage and [DONE]', async () => {
    const frames: Frame[] = [];
    const request = {
      token_ids: PROMPT,
      sampling_params: { ...endless, max_tokens: 2000 },
      request_id: 'stream',
      stream_options: { include_usage: true },
    };
    for await (const frame of caller.stream(request)) {
      frames.push(frame);
      if (frames.length === 3) await caller.abort('generate-tokens-stream');
    }
    const chunks = frames.filter(isChunk).map(({ chunk }) => chunk);
    const last = chunks.at(-2)!.choices[0]!;
    const ids = idsOf(frames)[0]!;
    expect(last.finish_reason).toBe('abort');
    expect(last.stop_reason).toBeNull();
    expect(last.weight_versions).toEqual([{ version: 'default', start: 0, end: ids.length }]);
    expect(chunks.at(-1)!.usage?.completion_tokens).toBe(ids.length);
    expect(frames.at(-1)).toEqual({ done: true });
    expect(ids.length).toBeLessThan(2000);
    const alone = await caller.generate({
      token_ids: PROMPT,
      sampling_params: { ...endless, max_tokens: ids.length },
    });
    expect(ids).toEqual(alone.choices[0]!.token_ids);
  });

  it('answers a whole request with what there is, logprobs and ids of equal number', async () => {
    const answer = caller.generate({
      token_ids: PROMPT,
      sampling_params: { ...endless, max_tokens: 2000, logprobs: 1 },
      request_id: 'whole',
    });
    await eventually(async () => (await caller.metric('vllm:num_requests_running')) === 1, 5000);
    expect((await caller.abort('generate-tokens-unknown', 'generate-tokens-whole')).status).toBe(200);
    const [choice] = (await answer).choices;
    expect(choice!.finish_reason).toBe('abort');
    const logprobs = choice!.logprobs as { content: Array<{ token_id: number }> };
    expect(logprobs.content.map(({ token_id }) => token_id)).toEqual(choice!.token_ids);
    expect(choice!.weight_versions!.at(-1)?.end ?? 0).toBe(choice!.token_ids!.length);
  });

  it('answers a waiting request with nothing, and hits every request of the id', async () => {
    const hold = { token_ids: PROMPT, sampling_params: { ...endless, max_tokens: 2000 }, request_id: 'hold' };
    const running = Array.from({ length: SLOTS }, () => caller.generate(hold));
    await eventually(async () => (await caller.metric('vllm:num_requests_running')) === SLOTS, 5000);
    const waiting = caller.generate({ ...hold, request_id: 'late' });
    await eventually(async () => (await caller.metric('vllm:num_requests_waiting')) === 1, 5000);
    await caller.abort('generate-tokens-late');
    expect((await waiting).choices[0]).toMatchObject({
      token_ids: [],
      weight_versions: [],
      finish_reason: 'abort',
    });
    await caller.abort('generate-tokens-hold');
    const reasons = (await Promise.all(running)).map(({ choices }) => choices[0]!.finish_reason);
    expect(reasons).toEqual(Array.from({ length: SLOTS }, () => 'abort'));
  });

  it('aborts all sequences of a request with n', async () => {
    const sampling_params = { temperature: 1, seed: 1, ignore_eos: true, max_tokens: 2000, n: 3 };
    const answer = caller.generate({ token_ids: PROMPT, sampling_params, request_id: 'three' });
    await eventually(async () => (await caller.metric('vllm:num_requests_running')) === 3, 5000);
    await caller.abort('generate-tokens-three');
    expect((await answer).choices.map(({ finish_reason }) => finish_reason)).toEqual([
      'abort',
      'abort',
      'abort',
    ]);
  });
});

describe('clients that leave', () => {
  it('give their slots back, wherever they were', async () => {
    const request = { token_ids: PROMPT, sampling_params: { ...endless, max_tokens: 2000 } };
    const leave = async (afterChunks: number, stream: boolean): Promise<void> => {
      const controller = new AbortController();
      const init = { signal: controller.signal };
      if (!stream) {
        setTimeout(() => controller.abort(), afterChunks);
        await caller.generate(request, init).catch(() => {});
        return;
      }
      let seen = 0;
      try {
        for await (const _ of caller.stream(request, init)) if (++seen >= afterChunks) controller.abort();
      } catch {
        // The abort ends the reading.
      }
    };
    const leavers = Array.from({ length: 4 * SLOTS }, (_, i) => leave(1 + (i % 5), i % 2 === 0));
    await Promise.all(leavers);
    await eventually(idle, 3000);
    expect(await (await fetch(`${server.url}/load`)).json()).toEqual({ server_load: 0 });
    const after = await caller.generate({
      token_ids: PROMPT,
      sampling_params: { ...endless, max_tokens: 3 },
    });
    expect(after.choices[0]!.token_ids).toHaveLength(3);
  });
});

describe('an engine process that dies', () => {
  it('fails its requests with an error frame and [DONE], and is back within three seconds', async () => {
    const request = { token_ids: PROMPT, sampling_params: { ...endless, max_tokens: 2000 } };
    const frames: Frame[] = [];
    for await (const frame of caller.stream(request)) {
      frames.push(frame);
      if (frames.length === 2) process.kill(engineProcess(server.pid), 'SIGKILL');
    }
    expect(frames.at(-1)).toEqual({ done: true });
    expect(frames.at(-2)).toMatchObject({ error: { code: 500 } });
    await eventually(async () => (await fetch(`${server.url}/health`)).ok, 3000);
    const after = await caller.generate({
      token_ids: PROMPT,
      sampling_params: { ...endless, max_tokens: 3 },
    });
    expect(after.choices[0]!.token_ids).toHaveLength(3);
  });
});

describe('shutdown', () => {
  it('aborts what runs with its partial output, and ends', async () => {
    const own = await startTito([model, '--enable-scale-out'], { TITO_CACHE: folder });
    const frames = framesOf(
      new Caller(own.url).stream({ token_ids: PROMPT, sampling_params: { ...endless, max_tokens: 2000 } }),
    );
    await eventually(async () => (await new Caller(own.url).metric('vllm:num_requests_running')) === 1, 5000);
    await own.stop();
    const chunks = (await frames).filter(isChunk);
    expect(chunks.at(-1)!.chunk.choices[0]!.finish_reason).toBe('abort');
    expect((await frames).at(-1)).toEqual({ done: true });
  });

  it('lets running requests finish within --shutdown-timeout', async () => {
    const own = await startTito([model, '--enable-scale-out', '--shutdown-timeout', '30'], {
      TITO_CACHE: folder,
    });
    const sampling_params = { ...endless, max_tokens: 200 };
    const answer = new Caller(own.url).generate({ token_ids: PROMPT, sampling_params });
    await eventually(async () => (await new Caller(own.url).metric('vllm:num_requests_running')) === 1, 5000);
    await own.stop();
    expect((await answer).choices[0]).toMatchObject({ finish_reason: 'length' });
    expect((await answer).choices[0]!.token_ids).toHaveLength(200);
  });
});

/** The only child of a server with one rank. */
function engineProcess(parent: number): number {
  return Number(
    execFileSync('pgrep', ['-P', String(parent)], { encoding: 'utf8' })
      .trim()
      .split('\n')[0],
  );
}
