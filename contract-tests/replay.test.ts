/** What the reference can't be recorded doing on a CPU, against values computed independently. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { GenerateResponse } from '../generated/types.js';
import { makeTinyModel, TINY_SHAPE, tinyTensors } from '../scripts/make-tiny-model.js';
import { F32 } from '../src/model/gguf/block-formats.js';
import { referenceLogits } from '../src/model/testing/reference-decoder.js';
import { Caller } from './client.js';
import { type RunningServer, startTito } from './own-server.js';

const PROMPT = [40, 41, 42, 43, 44];

let folder = '';
let model = '';
let server: RunningServer;
let caller: Caller;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tito-replay-'));
  model = await makeTinyModel(folder);
  const args = [model, '--enable-scale-out', '--enable-trace-replay', '--dtype', 'float32'];
  server = await startTito(args, { TITO_CACHE: folder });
  caller = new Caller(server.url);
});
afterAll(async () => {
  await server?.stop();
  rmSync(folder, { recursive: true });
});

/** Log-softmax of each position's logits, in plain loops and double precision. */
function logprobsAt(tokens: readonly number[]): number[][] {
  return referenceLogits(TINY_SHAPE, tinyTensors(1, F32, false), tokens).map((logits) => {
    const total = logits.reduce((sum, logit) => sum + Math.exp(logit), 0);
    return logits.map((logit) => logit - Math.log(total));
  });
}

const sampled = (answer: GenerateResponse): Array<{ token_id: number; logprob: number }> =>
  (answer.choices[0]!.logprobs as { content: Array<{ token_id: number; logprob: number }> }).content;

describe('trace_decode_token_ids', () => {
  it('forces the output, and reports what the model thinks of it', async () => {
    const trace = [7, 100, 2, 9];
    const sampling_params = {
      temperature: 1,
      logprobs: 0,
      trace_decode_token_ids: trace,
      stop_token_ids: [100],
    };
    const answer = await caller.generate({ token_ids: PROMPT, sampling_params });
    expect(answer.choices[0]).toMatchObject({ token_ids: trace, finish_reason: 'length', stop_reason: null });
    const expected = logprobsAt([...PROMPT, ...trace]);
    for (const [i, { token_id, logprob }] of sampled(answer).entries()) {
      expect(token_id).toBe(trace[i]);
      expect(logprob).toBeCloseTo(expected[PROMPT.length - 1 + i]![trace[i]!]!, 4);
    }
  });
});

describe('prompt_logprob_token_ids', () => {
  it('scores each row of ids as predictions of the next prompt token', async () => {
    const rows = [
      [41, 7],
      [42, -1],
      [43, 44],
    ];
    const sampling_params = { max_tokens: 1, prompt_logprob_token_ids: rows, prompt_logprob_start: 1 };
    const answer = await caller.generate({ token_ids: PROMPT, sampling_params });
    const scores = readNpy(answer.prompt_token_id_logprobs!);
    const expected = logprobsAt(PROMPT);
    expect(scores.shape).toEqual([3, 2]);
    rows.forEach((row, i) => {
      row.forEach((id, j) => {
        const value = scores.values[i * 2 + j]!;
        if (id === -1) expect(value).toBe(Number.NEGATIVE_INFINITY);
        else expect(value).toBeCloseTo(expected[1 + i]![id]!, 4);
      });
    });
  });

  it('and prompt_logprobs agree with the definition over chunk borders', async () => {
    const token_ids = Array.from({ length: 150 }, (_, i) => 30 + ((i * 37) % 200));
    const answer = await caller.generate({
      token_ids,
      sampling_params: { max_tokens: 1, prompt_logprobs: 0 },
    });
    const expected = logprobsAt(token_ids);
    expect(answer.prompt_logprobs).toHaveLength(150);
    expect(answer.prompt_logprobs![0]).toBeNull();
    for (let at = 1; at < token_ids.length; at++) {
      const entry = answer.prompt_logprobs![at]![String(token_ids[at])]!;
      expect(entry.logprob).toBeCloseTo(expected[at - 1]![token_ids[at]!]!, 4);
    }
  });
});

describe('--return-sampling-mask', () => {
  it('lists for each token the ids that the filters left, whole and streamed', async () => {
    const args = [
      '--enable-scale-out',
      '--return-sampling-mask',
      '--logprobs-mode',
      'processed_logprobs',
      '--dtype',
      'float32',
    ];
    const own = await startTito([model, ...args], { TITO_CACHE: folder });
    const masked = new Caller(own.url);
    const sampling_params = {
      temperature: 0.7,
      top_k: 3,
      seed: 5,
      max_tokens: 6,
      ignore_eos: true,
      logprobs: 3,
    };
    const answer = await masked.generate({ token_ids: PROMPT, sampling_params });
    const [choice] = answer.choices;
    const logprobs = logprobsAt([...PROMPT, ...choice!.token_ids!]);
    choice!.sampling_mask!.forEach((mask, i) => {
      const row = logprobs[PROMPT.length - 1 + i]!;
      const best = row
        .map((value, id) => [value, id] as const)
        .sort((a, b) => b[0] - a[0])
        .slice(0, 3);
      expect([...mask].sort((a, b) => a - b)).toEqual(best.map(([, id]) => id).sort((a, b) => a - b));
      const mass = best.reduce((sum, [value]) => sum + Math.exp(value / 0.7), 0);
      const drawn = choice!.token_ids![i]!;
      expect(sampled(answer)[i]!.logprob).toBeCloseTo(row[drawn]! / 0.7 - Math.log(mass), 3);
    });
    const streamed: number[][] = [];
    for await (const frame of masked.stream({ token_ids: PROMPT, sampling_params })) {
      if ('chunk' in frame) streamed.push(...(frame.chunk.choices[0]!.sampling_mask ?? []));
    }
    expect(streamed).toEqual(choice!.sampling_mask);
    const refused = await masked.post('/inference/v1/generate', {
      token_ids: PROMPT,
      sampling_params: { temperature: 0 },
    });
    expect(refused.status).toBe(400);
    await own.stop();
  });
});

describe('the prefix cache', () => {
  it('computes a shared beginning of a thousand tokens once', async () => {
    const shared = Array.from({ length: 1000 }, (_, i) => 30 + ((i * 37) % 250));
    const own = await startTito([model, '--enable-scale-out', '--enable-prompt-tokens-details'], {
      TITO_CACHE: folder,
    });
    const cached = new Caller(own.url);
    const ask = async (last: number): Promise<GenerateResponse> =>
      cached.generate({
        token_ids: [...shared, last, last],
        sampling_params: { temperature: 0, max_tokens: 5, logprobs: 1 },
      });
    const alone = await Promise.all(
      [7, 8].map((last) =>
        caller.generate({
          token_ids: [...shared, last, last],
          sampling_params: { temperature: 0, max_tokens: 5, logprobs: 1, skip_reading_prefix_cache: true },
        }),
      ),
    );
    const first = await ask(7);
    const group = await Promise.all([8, 8, 8].map(ask));
    expect(first.usage!.prompt_tokens_details).toEqual({ cached_tokens: 0 });
    for (const { usage, choices } of group) {
      expect(usage!.prompt_tokens_details!.cached_tokens).toBe(1000);
      expect(choices).toEqual(alone[1]!.choices);
    }
    expect(first.choices).toEqual(alone[0]!.choices);
    expect(await cached.metric('vllm:prompt_tokens_total')).toBe(1002 + 3 * 2);
    await own.stop();
  });
});

function readNpy(base64: string): { shape: number[]; values: Float32Array } {
  const bytes = Buffer.from(base64, 'base64');
  const headerLength = bytes.readUInt16LE(8);
  const header = bytes.subarray(10, 10 + headerLength).toString('latin1');
  expect(bytes.subarray(0, 6).toString('latin1')).toBe('\x93NUMPY');
  expect(header).toMatch(/'descr': '<f4'/);
  const shape = /\(([\d, ]+)\)/
    .exec(header)![1]!
    .split(',')
    .filter((part) => part.trim())
    .map(Number);
  const data = bytes.subarray(10 + headerLength);
  return {
    shape,
    values: new Float32Array(data.buffer.slice(data.byteOffset, data.byteOffset + data.length)),
  };
}
