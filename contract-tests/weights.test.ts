/** Live weight updates: swapped in under load, refused when they don't fit, never mixed with what was cached. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { GenerateRequest } from '../generated/types.js';
import { makeTinyModel, TINY_SHAPE, tinyTensors } from '../scripts/make-tiny-model.js';
import { F32 } from '../src/model/gguf/block-formats.js';
import type { WritableTensor } from '../src/model/gguf/gguf-writer.js';
import { safetensorsBytes, writeSafetensors } from '../src/model/testing/safetensors-writer.js';
import { Caller, type Frame, framesOf, idsOf } from './client.js';
import { type RunningServer, startTito } from './own-server.js';
import { engineProcesses, residentMiB, SMALL_HEAPS } from './resident-memory.js';

const STREAMS = 16;
const LENGTH = 400;

let folder = '';
let oldModel = '';
let newModel = '';
const checkpoint = (name: string): string => join(folder, 'checkpoints', name);

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tito-weights-'));
  mkdirSync(checkpoint('.'));
  oldModel = await makeTinyModel(folder, { seed: 1 });
  newModel = await makeTinyModel(folder, { seed: 2 });
  await makeTinyModel(checkpoint('gguf'), { seed: 2 });
  await writeSafetensors(checkpoint('step-2.safetensors'), tensorsOf(2), TINY_SHAPE.headDim);
});
afterAll(() => rmSync(folder, { recursive: true }));

const tensorsOf = (seed: number): WritableTensor[] => tinyTensors(seed, F32, false);

async function serving(
  model: string,
  args: readonly string[],
  use: (caller: Caller, server: RunningServer) => Promise<void>,
  environment: Readonly<Record<string, string>> = {},
): Promise<void> {
  const options = ['--enable-scale-out', '--enable-rl-control', '--max-num-seqs', String(STREAMS)];
  const all = [model, ...options, '--weights-dir', checkpoint('.'), ...args];
  const server = await startTito(all, { ...environment, TITO_CACHE: folder });
  try {
    await use(new Caller(server.url), server);
  } finally {
    await server.stop();
  }
}

const prompt = (i: number): number[] =>
  Array.from({ length: 20 + i }, (_, j) => 10 + ((i * 31 + j * 17) % 300));
const ask = (i: number, max_tokens: number): GenerateRequest => ({
  token_ids: prompt(i),
  sampling_params: { temperature: 0, ignore_eos: true, max_tokens, logprobs: 1 },
});

async function answers(caller: Caller): Promise<unknown[]> {
  const all = await Promise.all(Array.from({ length: 4 }, (_, i) => caller.generate(ask(i, 40))));
  return all.map(({ choices }) => [choices[0]!.token_ids, choices[0]!.logprobs]);
}

async function update(caller: Caller, version: string, bring: () => Promise<Response>): Promise<void> {
  expect((await caller.post('/start_weight_update', {})).status).toBe(200);
  const brought = await bring();
  expect([brought.status, await brought.text()]).toEqual([200, '{"status":"loaded"}']);
  const finished = await caller.post('/finish_weight_update', { weight_version: version });
  expect([finished.status, await finished.text()]).toEqual([200, '{"status":"finished"}']);
}

const byPath = (caller: Caller, path: string) => () =>
  caller.post('/update_weights', { update_info: { path } });
const upload = (caller: Caller, body: Buffer) => () =>
  fetch(`${caller.url}/update_weights`, {
    method: 'POST',
    headers: { 'content-type': 'application/octet-stream' },
    body: new Uint8Array(body),
  });

const spansAround = (swap: number): unknown[] =>
  [
    { version: 'default', start: 0, end: swap },
    { version: 'v2', start: swap, end: LENGTH },
  ].filter(({ start, end }) => start < end);

/** Stream prompt `i` to its end: its ids, and how many of them are of the old weights. */
async function streamed(caller: Caller, i: number): Promise<{ ids: number[]; end: number }> {
  const frames = await framesOf(caller.stream(ask(i, LENGTH)));
  expect(frames.at(-1)).toEqual({ done: true });
  const ids = idsOf(frames)[0]!;
  expect(ids).toHaveLength(LENGTH);
  const spans = spansOf(frames);
  const end = spans[0]!.version === 'v2' ? 0 : spans[0]!.end;
  expect(spans).toEqual(spansAround(end));
  return { ids, end };
}

describe.each(['float32', 'int4'])('--dtype %s', (dtype) => {
  let before: unknown[] = [];
  let after: unknown[] = [];
  beforeAll(async () => {
    await serving(oldModel, ['--dtype', dtype], async (caller) => {
      before = await answers(caller);
    });
    await serving(newModel, ['--dtype', dtype], async (caller) => {
      after = await answers(caller);
    });
    expect(after).not.toEqual(before);
  });

  it('swaps under 16 streams: none fails, no token is lost, spans are right to the token', async () => {
    await serving(oldModel, ['--dtype', dtype], async (caller) => {
      const alone = await Promise.all(
        Array.from({ length: STREAMS }, (_, i) => caller.generate(ask(i, LENGTH))),
      );
      const swapped = update(caller, 'v2', byPath(caller, 'gguf')).then(() => true);
      const ended = (): Promise<boolean> => Promise.race([swapped, setImmediate(false)]);
      let both = 0;
      let changed = 0;
      const one = async (i: number): Promise<number> => {
        const { ids, end } = await streamed(caller, i);
        const expected = alone[i]!.choices[0]!.token_ids!;
        expect(ids.slice(0, end)).toEqual(expected.slice(0, end));
        if (end > 0 && end < LENGTH) both++;
        if (end > 0 && ids[end] !== expected[end]) changed++;
        return end;
      };
      const stream = async (i: number): Promise<void> => {
        while (!(await ended())) await one(i);
        expect(await one(i)).toBe(0);
      };
      await Promise.all(Array.from({ length: STREAMS }, (_, i) => stream(i)));
      // A stream may be between two requests at the swap, not in one.
      expect(both).toBeGreaterThan(STREAMS / 2);
      // The first token after the swap is of other weights: nearly always another one.
      expect(changed).toBeGreaterThan(both / 2);
      expect(await answers(caller)).toEqual(after);
      const info = await (await fetch(`${caller.url}/weight_info`)).json();
      expect(info).toEqual({ weight_version: 'v2' });
    });
  });

  it('takes a safetensors checkpoint by path and as an upload, whole and in parts', async () => {
    const file = readFileSync(checkpoint('step-2.safetensors'));
    await serving(oldModel, ['--dtype', dtype], async (caller) => {
      expect(await answers(caller)).toEqual(before);
      await update(caller, 'a', byPath(caller, 'step-2.safetensors'));
      expect(await answers(caller)).toEqual(after);
    });
    await serving(oldModel, ['--dtype', dtype], async (caller) => {
      await update(caller, 'b', upload(caller, file));
      expect(await answers(caller)).toEqual(after);
      const old = tensorsOf(1);
      for (const [i, part] of [old.slice(0, 5), old.slice(5)].entries()) {
        const path = join(folder, `part-${i}.safetensors`);
        await writeSafetensors(path, part, TINY_SHAPE.headDim);
        await update(caller, `part ${i}`, upload(caller, readFileSync(path)));
      }
      expect(await answers(caller)).toEqual(before);
    });
  });
});

describe('a checkpoint that does not fit', () => {
  it('is refused with what is wrong, and the old weights go on', async () => {
    const cut = checkpoint('cut.safetensors');
    writeFileSync(cut, readFileSync(checkpoint('step-2.safetensors')));
    truncateSync(cut, 4000);
    const one = (name: string, shape: number[], dtype = 'F32', end = 64 * 4) =>
      safetensorsBytes(
        { [name]: { dtype, shape, data_offsets: [0, end] } },
        Buffer.alloc(Math.min(end, 64 * 4)),
      );
    const uploads: Array<[Buffer, RegExp]> = [
      [one('model.norm.weight', [65], 'F32', 65 * 4), /end at byte/],
      [one('model.norm.weight', [32], 'F32', 32 * 4), /shape \[32\].*\[64\]/],
      [one('model.layers.7.mlp.up_proj.weight', [64]), /layers\.7\.mlp\.up_proj.*does not have/],
      [one('model.norm.weight', [64], 'F8_E4M3'), /F8_E4M3/],
      [one('model.norm.weight', [2 ** 40, 2 ** 40]), /doesn't fill/],
      [Buffer.from('hello'), /not a safetensors file/],
      [
        Buffer.concat([Buffer.from([255, 255, 255, 255, 255, 255, 255, 127]), Buffer.alloc(100)]),
        /not a safetensors/,
      ],
      [safetensorsBytes({}, Buffer.alloc(0)), /no tensors/],
    ];
    await serving(oldModel, [], async (caller) => {
      const before = await answers(caller);
      const refusal = async (response: Response): Promise<string> => {
        expect(response.status).toBe(400);
        return ((await response.json()) as { error: { message: string } }).error.message;
      };
      expect(await refusal(await byPath(caller, 'gguf')())).toMatch(/start_weight_update/);
      expect(await refusal(await caller.post('/finish_weight_update', {}))).toMatch(/start_weight_update/);
      await caller.post('/start_weight_update', {});
      expect(await refusal(await caller.post('/finish_weight_update', {}))).toMatch(/No weights/);
      for (const [body, message] of uploads) {
        const told = await refusal(await upload(caller, body)());
        expect(told).toMatch(message);
        expect(told).not.toMatch(/updates\//);
      }
      for (const path of ['../tiny-F32-2.gguf', '/etc/passwd', 'cut.safetensors', 'nothing-here', '']) {
        expect((await byPath(caller, path)()).status).toBe(400);
      }
      expect((await caller.post('/finish_weight_update', {})).status).toBe(400);
      expect(await answers(caller)).toEqual(before);
    });
  });

  it('is refused by a server without --weights-dir', async () => {
    const server = await startTito([oldModel, '--enable-rl-control'], { TITO_CACHE: folder });
    const caller = new Caller(server.url);
    await caller.post('/start_weight_update', {});
    const response = await byPath(caller, 'gguf')();
    expect([response.status, await response.text()]).toEqual([400, expect.stringMatching(/--weights-dir/)]);
    await server.stop();
  });
});

describe('cached prefixes and labels', () => {
  it('are not reused after a swap, even under the same label', async () => {
    await serving(oldModel, [], async (caller) => {
      await answers(caller);
      await update(caller, 'default', byPath(caller, 'gguf'));
      const got = await answers(caller);
      await serving(newModel, [], async (fresh) => expect(got).toEqual(await answers(fresh)));
    });
  });
});

describe('--data-parallel-size 2', () => {
  it('swaps every rank, and a rank that is started anew has the new weights', async () => {
    let expected: unknown[] = [];
    await serving(newModel, [], async (caller) => {
      expected = await answers(caller);
    });
    await serving(oldModel, ['--data-parallel-size', '2'], async (caller, server) => {
      await update(caller, 'v2', byPath(caller, 'gguf'));
      const onRank = async (rank: number): Promise<unknown> => {
        const headers = { 'x-data-parallel-rank': String(rank) };
        const { choices } = await caller.generate(ask(0, 40), { headers });
        expect(choices[0]!.weight_versions).toEqual([{ version: 'v2', start: 0, end: 40 }]);
        return [choices[0]!.token_ids, choices[0]!.logprobs];
      };
      expect([await onRank(0), await onRank(1)]).toEqual([expected[0], expected[0]]);
      const [first] = engineProcesses(server.pid);
      process.kill(first!, 'SIGKILL');
      for (const rank of [0, 1]) {
        let got: unknown = null;
        while (got === null) {
          got = await onRank(rank).catch(
            () => new Promise((resolve) => setTimeout(() => resolve(null), 100)),
          );
        }
        expect(got).toEqual(expected[0]);
      }
    });
  });
});

// Resident memory is read from /proc.
describe.runIf(process.platform === 'linux')('memory', () => {
  it('levels off over 20 loads of weights', async () => {
    const memory: number[] = [];
    const updates = async (caller: Caller, server: RunningServer): Promise<void> => {
      for (let i = 0; i < 20; i++) {
        await update(caller, `v${i}`, byPath(caller, 'gguf'));
        await answers(caller);
        memory.push(residentMiB(server.pid));
      }
    };
    await serving(oldModel, [], updates, SMALL_HEAPS);
    const mean = (values: readonly number[]): number =>
      values.reduce((sum, value) => sum + value, 0) / values.length;
    expect(
      mean(memory.slice(15)) / mean(memory.slice(10, 15)),
      memory.map(Math.round).join(' '),
    ).toBeLessThan(1.03);
  });
});

function spansOf(frames: readonly Frame[]): Array<{ version: string; start: number; end: number }> {
  return frames.flatMap((frame) =>
    'chunk' in frame ? frame.chunk.choices.flatMap(({ weight_versions: spans }) => spans ?? []) : [],
  );
}
