/** Where a mixture of experts sends positions, as answers tell it: equal to what Hugging Face transformers recorded. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { GenerateRequest } from '../generated/types.js';
import { type RecordedRun, unpackCheckpoint } from '../src/model/testing/checkpoints.js';
import { Caller, framesOf } from './client.js';
import { type RunningServer, startTito } from './own-server.js';

const OPTIONS = ['--enable-scale-out', '--enable-return-routed-experts', '--enable-trace-replay'];
const LAYERS = 2;
const USED = 2;
const GREEDY = { temperature: 0, max_tokens: 8, ignore_eos: true };

let folder = '';
let server: RunningServer;
let caller: Caller;
let run: RecordedRun;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tito-experts-'));
  const checkpoint = await unpackCheckpoint('qwen3moe', folder);
  run = checkpoint.runs.at(-1)!;
  server = await startTito([checkpoint.folder, ...OPTIONS, '--max-num-batched-tokens', '16'], {
    TITO_CACHE: folder,
  });
  caller = new Caller(server.url);
});
afterAll(async () => {
  await server?.stop();
  rmSync(folder, { recursive: true });
});

/** The recorded ids, of which those from `split` on are forced as output. */
function replayed(split: number, more: Partial<GenerateRequest['sampling_params']> = {}): GenerateRequest {
  const forced = run.ids.slice(split);
  return {
    token_ids: run.ids.slice(0, split),
    sampling_params: {
      max_tokens: forced.length,
      ignore_eos: true,
      trace_decode_token_ids: forced,
      ...more,
    },
  };
}

/** Element type, shape and numbers of a .npy file in base64. */
function npy(text: string): { type: string; shape: number[]; values: number[] } {
  const bytes = Buffer.from(text, 'base64');
  const end = 10 + bytes.readUInt16LE(8);
  const header = bytes.toString('latin1', 10, end);
  const [, type, dims] = /'descr': '(.*?)'.*'shape': \((.*?)\)/.exec(header)!;
  return { type: type!, shape: dims!.split(',').map(Number), values: [...bytes.subarray(end)] };
}

const recorded = (from: number): { type: string; shape: number[]; values: number[] } => {
  const positions = run.ids.length - 1 - from;
  const values = run.experts!.slice(from, -1).flat(2);
  return { type: '|u1', shape: [positions, LAYERS, USED], values };
};

describe('routed experts', () => {
  it('are those that transformers recorded, of prompt and output, computed or from the prefix cache', async () => {
    const requests = [20, 20, 12, 3, 25];
    for (const split of requests) {
      const { choices } = await caller.generate(replayed(split));
      expect(npy(choices[0]!.routed_experts!)).toEqual(recorded(0));
    }
    const answers = await Promise.all(requests.map((split) => caller.generate(replayed(split))));
    for (const { choices } of answers) expect(npy(choices[0]!.routed_experts!)).toEqual(recorded(0));
  });

  it('begin where the request says', async () => {
    for (const start of [0, 7, 20]) {
      const { choices } = await caller.generate(replayed(20, { routed_experts_prompt_start: start }));
      expect(npy(choices[0]!.routed_experts!)).toEqual(recorded(start));
    }
  });

  it('are refused for a model without experts', async () => {
    const { folder: plain } = await unpackCheckpoint('llama', folder);
    await expect(startTito([plain, ...OPTIONS], { TITO_CACHE: folder })).rejects.toThrow(/ended before/);
  });

  it('end where the sequence does: a stop token was computed no further', async () => {
    const free = { token_ids: run.ids.slice(0, 12), sampling_params: GREEDY };
    const [whole] = (await caller.generate(free)).choices;
    const stop = whole!.token_ids![3]!;
    const stopping = { ...free, sampling_params: { ...GREEDY, stop_token_ids: [stop] } };
    const [stopped] = (await caller.generate(stopping)).choices;
    expect([stopped!.token_ids!.at(-1), stopped!.finish_reason]).toEqual([stop, 'stop']);
    const positions = 12 + stopped!.token_ids!.length - 1;
    expect(npy(stopped!.routed_experts!)).toEqual({
      type: '|u1',
      shape: [positions, LAYERS, USED],
      values: npy(whole!.routed_experts!).values.slice(0, positions * LAYERS * USED),
    });
  });

  it('come in the last chunk of a stream', async () => {
    const frames = await framesOf(caller.stream({ ...replayed(20), stream: true }));
    const told = frames.flatMap((frame) => ('chunk' in frame ? frame.chunk.choices : []));
    expect(told.slice(0, -1).map(({ routed_experts }) => routed_experts)).toEqual(
      told.slice(0, -1).map(() => null),
    );
    expect(npy(told.at(-1)!.routed_experts!)).toEqual(recorded(0));
  });
});
