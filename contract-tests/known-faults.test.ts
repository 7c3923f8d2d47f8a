/** Faults that similar servers had, each as a test from outside, on the tiny model. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { GenerateRequest, GenerateResponse } from '../generated/types.js';
import { makeTinyModel, TINY_SHAPE } from '../scripts/make-tiny-model.js';
import { Caller, type Frame, framesOf, idsOf } from './client.js';
import { type RunningServer, startTito } from './own-server.js';

const CONTEXT = 256;
const VOCABULARY = TINY_SHAPE.vocabSize;
const PROMPT = [40, 41, 42, 43];

let folder = '';
let server: RunningServer;
let caller: Caller;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tito-faults-'));
  const model = await makeTinyModel(folder);
  const args = [model, '--enable-scale-out', '--max-num-seqs', '8', '--max-model-len', String(CONTEXT)];
  server = await startTito(args, { TITO_CACHE: folder });
  caller = new Caller(server.url);
});
afterAll(async () => {
  await server?.stop();
  rmSync(folder, { recursive: true });
});

type Sampling = GenerateRequest['sampling_params'];

const ask = (sampling_params: Sampling, more: Partial<GenerateRequest> = {}): GenerateRequest => ({
  token_ids: PROMPT,
  sampling_params: { ignore_eos: true, ...sampling_params },
  ...more,
});
const idsFor = async (sampling: Sampling): Promise<number[]> =>
  (await caller.generate(ask(sampling))).choices[0]!.token_ids!;
const refusal = async (body: unknown): Promise<{ status: number; message: string }> => {
  const response = await caller.post('/inference/v1/generate', body);
  const json = (await response.json()) as { error?: { message: string } };
  return { status: response.status, message: json.error?.message ?? '' };
};
const logprobsOf = (
  answer: GenerateResponse,
): Array<{ token_id: number; logprob: number; rank: number | null }> =>
  (
    answer.choices[0]!.logprobs as {
      content: Array<{ token_id: number; logprob: number; rank: number | null }>;
    }
  ).content;

describe('generate', () => {
  it('without max_tokens goes on to the end of the context', async () => {
    for (const sampling_params of [{ ignore_eos: true }, { ignore_eos: true, max_tokens: null }]) {
      const answer = await caller.generate({ token_ids: PROMPT, sampling_params });
      expect(answer.usage!.completion_tokens).toBe(CONTEXT - PROMPT.length);
      expect(answer.choices[0]!.finish_reason).toBe('length');
    }
  });

  it.each([
    ['token_ids', { token_ids: [-1], sampling_params: {} }],
    ['token_ids|Token id', { token_ids: [VOCABULARY], sampling_params: {} }],
    ['token_ids', { token_ids: [1.5], sampling_params: {} }],
    ['token_ids', { token_ids: ['1'], sampling_params: {} }],
    ['token_ids', { token_ids: [null], sampling_params: {} }],
    ['token_ids', { token_ids: [true], sampling_params: {} }],
    ['token_ids', { token_ids: [], sampling_params: {} }],
    ['stop_token_ids', ask({ stop_token_ids: [VOCABULARY], min_tokens: 1 })],
    ['logit_bias', ask({ logit_bias: { [VOCABULARY]: 1 } })],
    ['logit_bias', ask({ logit_bias: { x: 1 } })],
    ['allowed_token_ids', ask({ allowed_token_ids: [VOCABULARY] })],
    ['allowed_token_ids', ask({ allowed_token_ids: [] })],
    ['min_tokens', ask({ min_tokens: 5, max_tokens: 4 })],
    ['n', ask({ n: 9, temperature: 1 })],
    ['bad_words', ask({ bad_words: [' '] })],
  ])('names %s when an id or a value can not be used', async (field, body) => {
    const { status, message } = await refusal(body);
    expect(status).toBe(400);
    expect(message).toMatch(new RegExp(field));
  });

  it('stays the same for one request, whatever bad ones come beside it', async () => {
    const expected = await idsFor({ temperature: 0, max_tokens: 60 });
    const running = idsFor({ temperature: 0, max_tokens: 60 });
    const bad = Array.from({ length: 20 }, (_, i) =>
      refusal({ token_ids: [VOCABULARY + i], sampling_params: {} }),
    );
    expect((await Promise.all(bad)).every(({ status }) => status === 400)).toBe(true);
    expect(await running).toEqual(expected);
  });

  it('repeats itself with a seed, alone, beside unseeded requests, and beside copies', async () => {
    const seeded: Sampling = { seed: 42, temperature: 0.8, max_tokens: 30 };
    const expected = await idsFor(seeded);
    for (let i = 0; i < 2; i++) expect(await idsFor(seeded)).toEqual(expected);
    const unseeded = Array.from({ length: 7 }, () => idsFor({ temperature: 1, max_tokens: 30 }));
    expect(await idsFor(seeded)).toEqual(expected);
    await Promise.all(unseeded);
    const copies = await Promise.all(Array.from({ length: 4 }, () => idsFor(seeded)));
    expect(copies).toEqual([expected, expected, expected, expected]);
    expect(await idsFor({ ...seeded, seed: 43 })).not.toEqual(expected);
  });

  it('tells seeds apart that a double would round together', async () => {
    const seeds = ['9007199254740993', '9007199254740992', '18446744073709551615', '-9223372036854775808'];
    const outputs = await Promise.all(
      seeds.map(async (seed) => {
        const body = `{"token_ids":[40,41],"sampling_params":{"seed":${seed},"max_tokens":12,"ignore_eos":true}}`;
        const headers = { 'content-type': 'application/json' };
        const response = await fetch(`${server.url}/inference/v1/generate`, {
          method: 'POST',
          headers,
          body,
        });
        return ((await response.json()) as GenerateResponse).choices[0]!.token_ids!.join();
      }),
    );
    expect(new Set(outputs).size).toBe(seeds.length);
  });

  it('lets every sampling field be seen', async () => {
    const base: Sampling = { temperature: 0, max_tokens: 8 };
    const plain = await idsFor(base);
    const [first] = plain;
    expect(await idsFor({ ...base, logit_bias: { [String(first)]: -100 } })).not.toEqual(plain);
    expect(await idsFor({ ...base, allowed_token_ids: [7, 9] })).toSatisfy((ids: number[]) =>
      ids.every((id) => id === 7 || id === 9),
    );
    expect(await idsFor({ ...base, stop_token_ids: [first!] })).toEqual([first]);
    expect(await idsFor({ ...base, repetition_penalty: 1.9, max_tokens: 30 })).not.toEqual(
      await idsFor({ ...base, max_tokens: 30 }),
    );
    expect(
      new Set(await idsFor({ ...base, frequency_penalty: 2, presence_penalty: 2, max_tokens: 30 })).size,
    ).toBeGreaterThan(new Set(await idsFor({ ...base, max_tokens: 30 })).size - 1);
    const sampled = (more: Sampling): Promise<number[]> =>
      idsFor({ temperature: 1.5, seed: 5, max_tokens: 8, ...more });
    expect(await sampled({ top_k: 1 })).toEqual(plain);
    expect(await sampled({ top_p: 1e-6 })).toEqual(plain);
    expect(await sampled({ min_p: 1 })).toEqual(plain);
    expect(await sampled({})).not.toEqual(plain);
  });

  it('never counts a prefix as cached under another salt', async () => {
    const own = await startTito(
      [await makeTinyModel(folder), '--enable-scale-out', '--enable-prompt-tokens-details'],
      { TITO_CACHE: folder },
    );
    const other = new Caller(own.url);
    const token_ids = Array.from({ length: 100 }, (_, i) => 10 + i);
    const cached = async (cache_salt: string): Promise<number | null | undefined> => {
      const answer = await other.generate({ token_ids, sampling_params: { max_tokens: 1 }, cache_salt });
      return answer.usage!.prompt_tokens_details?.cached_tokens;
    };
    expect([await cached('a'), await cached('a'), await cached('b'), await cached('b')]).toEqual([
      0, 98, 0, 98,
    ]);
    await own.stop();
  });
});

describe('streams', () => {
  it('end with one finish reason for each sequence, and [DONE] once, last', async () => {
    for (const n of [1, 3]) {
      const sampling: Sampling = { temperature: 1, seed: 3, n, max_tokens: 6 };
      const request = ask(sampling, { stream_options: { include_usage: true } });
      const frames = await framesOf(caller.stream(request));
      const whole = await caller.generate(ask(sampling));
      expect(idsOf(frames)).toEqual(whole.choices.map(({ token_ids }) => token_ids));
      expect(finishes(frames)).toHaveLength(n);
      expect(frames.filter((frame) => 'done' in frame)).toHaveLength(1);
      expect(frames.at(-1)).toEqual({ done: true });
      const usages = frames.flatMap((frame) =>
        'chunk' in frame && frame.chunk.choices.length === 0 ? [frame.chunk.usage] : [],
      );
      expect(usages).toEqual([
        expect.objectContaining({ completion_tokens: 6 * n, prompt_tokens: PROMPT.length }),
      ]);
      expect(whole.usage!.completion_tokens).toBe(6 * n);
    }
  });

  it('count up with continuous_usage_stats', async () => {
    const stream_options = { include_usage: true, continuous_usage_stats: true };
    const frames = await framesOf(caller.stream(ask({ temperature: 0, max_tokens: 6 }, { stream_options })));
    const counts = frames.flatMap((frame) =>
      'chunk' in frame ? [frame.chunk.usage!.completion_tokens!] : [],
    );
    expect(counts).toEqual([...counts].sort((a, b) => a - b));
    expect(counts.at(-1)).toBe(6);
  });

  it('never begin for a request that is refused', async () => {
    const response = await caller.post('/inference/v1/generate', { ...ask({ n: 0 }), stream: true });
    expect(response.status).toBe(400);
    expect(response.headers.get('content-type')).toMatch(/^application\/json/);
  });
});

describe('stops and texts', () => {
  it('hold nothing back and lose nothing, wherever a stop string falls', async () => {
    const text = async (sampling: Sampling): Promise<string> =>
      (await caller.generate(ask({ temperature: 0, max_tokens: 40, ...sampling }, { output_mode: 'text' })))
        .choices[0]!.text!;
    const whole = await text({});
    for (let start = 3; start < whole.length - 4; start += 5) {
      for (const length of [1, 2, 4]) {
        const stop = whole.slice(start, start + length);
        if (stop.includes('\uFFFD')) continue;
        const at = whole.indexOf(stop);
        expect(await text({ stop: [stop] })).toBe(whole.slice(0, at));
        expect(await text({ stop: [stop], include_stop_str_in_output: true })).toBe(
          whole.slice(0, at + length),
        );
        const request = ask({ temperature: 0, max_tokens: 40, stop: [stop] }, { output_mode: 'text' });
        expect(textOf(await framesOf(caller.stream(request)))).toBe(whole.slice(0, at));
      }
    }
  });

  it('send a held-back beginning that never becomes a stop string', async () => {
    const request = ask({ temperature: 0, max_tokens: 20 }, { output_mode: 'text' });
    const whole = textOf(await framesOf(caller.stream(request)));
    const never = `${whole.slice(-3)}\u0001`;
    const held = ask({ temperature: 0, max_tokens: 20, stop: [never] }, { output_mode: 'text' });
    expect(textOf(await framesOf(caller.stream(held)))).toBe(whole);
  });

  it('wait for min_tokens, whichever way a sequence could end', async () => {
    const [first, second] = await idsFor({ temperature: 0, max_tokens: 2 });
    const sampling: Sampling = {
      temperature: 0,
      max_tokens: 30,
      min_tokens: 16,
      stop_token_ids: [first!, second!],
      ignore_eos: false,
    };
    const ids = await idsFor(sampling);
    expect(ids.length).toBeGreaterThanOrEqual(16);
    expect(ids.slice(0, 16)).not.toContain(first);
    expect(ids.slice(0, 16)).not.toContain(second);
  });
});

describe('logprobs', () => {
  it('are finite numbers, with a rank wherever there is one', async () => {
    const cases: Sampling[] = [
      { allowed_token_ids: [7, 8, 9], logprobs: 20 },
      { bad_words: ['a'], logprobs: 20 },
      { min_tokens: 2, ignore_eos: false, logprobs: 20 },
    ];
    for (const sampling of cases) {
      const answer = await caller.generate(ask({ max_tokens: 4, ...sampling }));
      for (const { logprob, rank } of logprobsOf(answer)) {
        expect(Number.isFinite(logprob)).toBe(true);
        expect(rank).toBeGreaterThan(0);
      }
    }
  });

  it('are as many as there are ids, for the same ids', async () => {
    const [first] = await idsFor({ temperature: 0, max_tokens: 1 });
    const ways: Sampling[] = [{ max_tokens: 5 }, { stop_token_ids: [first!] }, { stop: ['a', 'e', ' '] }];
    for (const sampling of ways) {
      const request = ask({ temperature: 0, max_tokens: 20, logprobs: 1, ...sampling });
      const whole = await caller.generate(request);
      expect(logprobsOf(whole).map(({ token_id }) => token_id)).toEqual(whole.choices[0]!.token_ids);
      for (const frame of await framesOf(caller.stream(request))) {
        if (!('chunk' in frame)) continue;
        for (const { token_ids, logprobs } of frame.chunk.choices) {
          expect((logprobs as { content: unknown[] }).content).toHaveLength(token_ids!.length);
        }
      }
    }
  });

  it('are of the raw distribution, whatever the temperature', async () => {
    const answers = await Promise.all(
      [0.5, 1, 2].map((temperature) =>
        caller.generate(ask({ temperature, top_k: 1, logprobs: 1, max_tokens: 5 })),
      ),
    );
    const [half, one, two] = answers.map((answer) => logprobsOf(answer));
    expect(half).toEqual(one);
    expect(two).toEqual(one);
  });
});

describe('requests with one id', () => {
  it('both finish, each with its own tokens', async () => {
    const twice = [8, 12].map((max_tokens) =>
      caller.generate(ask({ temperature: 0, max_tokens }, { request_id: 'twin' })),
    );
    const [short, long] = await Promise.all(twice);
    expect(short!.choices[0]!.token_ids).toHaveLength(8);
    expect(long!.choices[0]!.token_ids!.slice(0, 8)).toEqual(short!.choices[0]!.token_ids);
  });

  it('must be printable and short', async () => {
    expect((await refusal(ask({ max_tokens: 1 }, { request_id: 'a\nb' }))).status).toBe(400);
    expect((await refusal(ask({ max_tokens: 1 }, { request_id: 'x'.repeat(129) }))).status).toBe(400);
  });
});

describe('bodies', () => {
  it('KF-32 may be large up to the limit, and never bring a 5xx or a stack', async () => {
    const many = JSON.stringify({ token_ids: new Array(150_000).fill(5), sampling_params: {} });
    const huge = `{"token_ids":[5],"sampling_params":{},"x":"${'y'.repeat(65 * 1024 * 1024)}"}`;
    const answers: Array<[string, Record<string, string>, number]> = [
      [many, {}, 400],
      [huge, {}, 413],
      ['{"token_ids"', {}, 400],
      ['', {}, 400],
      ['[]', {}, 400],
      ['null', {}, 400],
      ['{"__proto__":{"a":1},"token_ids":[5],"sampling_params":{"max_tokens":1}}', {}, 200],
      ['{"token_ids":[5],"sampling_params":{"max_tokens":1}}', { 'content-encoding': 'gzip' }, 400],
      ['x', { 'content-type': 'text/html' }, 400],
    ];
    for (const [body, headers, status] of answers) {
      const init = { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body };
      const response = await fetch(`${server.url}/inference/v1/generate`, init);
      const text = await response.text();
      expect([response.status, body.slice(0, 40)]).toEqual([status, body.slice(0, 40)]);
      expect(text).not.toMatch(/<html|\n\s+at /i);
    }
  });
});

function finishes(frames: readonly Frame[]): string[] {
  return frames.flatMap((frame) =>
    'chunk' in frame ? frame.chunk.choices.flatMap(({ finish_reason }) => finish_reason ?? []) : [],
  );
}

function textOf(frames: readonly Frame[]): string {
  return frames
    .flatMap((frame) => ('chunk' in frame ? frame.chunk.choices.map(({ text }) => text ?? '') : []))
    .join('');
}
