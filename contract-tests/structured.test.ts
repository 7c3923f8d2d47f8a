import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { StructuredOutputs } from '../generated/types.js';
import { makeTinyModel } from '../scripts/make-tiny-model.js';
import { Caller } from './client.js';
import { type RunningServer, startTito } from './own-server.js';

let folder = '';
let server: RunningServer;
let caller: Caller;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tito-structured-'));
  const args = [await makeTinyModel(folder), '--enable-scale-out', '--max-num-seqs', '8'];
  server = await startTito(args, { TITO_CACHE: folder });
  caller = new Caller(server.url);
});
afterAll(async () => {
  await server?.stop();
  rmSync(folder, { recursive: true });
});

const request = (structured_outputs: StructuredOutputs, more: object = {}) => ({
  token_ids: [40, 41, 42],
  sampling_params: { temperature: 1, max_tokens: 60, structured_outputs, ...more },
  output_mode: 'text' as const,
});

/** The texts of several seeds, each from a sequence that ended by itself. */
async function textsOf(structured: StructuredOutputs, seeds = 12): Promise<string[]> {
  const answers = await Promise.all(
    Array.from({ length: seeds }, (_, seed) => caller.generate(request(structured, { seed }))),
  );
  const ended = answers
    .map(({ choices }) => choices[0]!)
    .filter(({ finish_reason }) => finish_reason === 'stop');
  expect(ended.length).toBeGreaterThan(0);
  return ended.map(({ text }) => text!);
}

describe('structured outputs', () => {
  it('are one of the choices, whole', async () => {
    const choice = ['yes', 'no "quoted"', 'back\\slash\n'];
    for (const text of await textsOf({ choice })) expect(choice).toContain(text);
  });

  it('match the regular expression from end to end', async () => {
    for (const text of await textsOf({ regex: '[0-9]{2}-[a-f]{3}' }))
      expect(text).toMatch(/^[0-9]{2}-[a-f]{3}$/);
  });

  it('have the schema', async () => {
    const json = {
      type: 'object',
      properties: { a: { type: 'integer', minimum: 0, maximum: 9 }, b: { enum: ['x', 'y'] } },
      required: ['a', 'b'],
      additionalProperties: false,
    };
    for (const text of await textsOf({ json, disable_any_whitespace: true })) {
      const value = JSON.parse(text) as { a: number; b: string };
      expect(Object.keys(value)).toEqual(['a', 'b']);
      expect(value.a).toBeGreaterThanOrEqual(0);
      expect(value.a).toBeLessThanOrEqual(9);
      expect(['x', 'y']).toContain(value.b);
    }
  });

  it('follow the grammar', async () => {
    for (const text of await textsOf({ grammar: 'root ::= "a" ("b" | "c")? "d"' }))
      expect(text).toMatch(/^a[bc]?d$/);
  });

  it('report finite logprobs of what the grammar leaves', async () => {
    const answer = await caller.generate(request({ choice: ['q', 'z'] }, { logprobs: 2, seed: 1 }));
    const { content } = answer.choices[0]!.logprobs as {
      content: Array<{ logprob: number; top_logprobs: Array<{ token: string; logprob: number }> }>;
    };
    const [first] = content;
    const mass = first!.top_logprobs.reduce((sum, { logprob }) => sum + Math.exp(logprob), 0);
    expect(first!.top_logprobs.map(({ token }) => token).sort()).toEqual(['q', 'z']);
    expect(mass).toBeCloseTo(1, 4);
  });

  it('wait for min_tokens only as long as the grammar can go on', async () => {
    const answer = await caller.generate(request({ choice: ['ab'] }, { min_tokens: 10, seed: 1 }));
    expect(answer.choices[0]).toMatchObject({ text: 'ab', finish_reason: 'stop' });
  });

  it.each([
    ['nothing', {}],
    ['two kinds', { regex: 'a', choice: ['b'] }],
    ['no JSON', { json: '{not json' }],
    ['no choice', { choice: [] }],
    ['half a grammar', { grammar: 'root ::= (' }],
    ['half a regular expression', { regex: '[0-9' }],
    ['a grammar without a root', { grammar: 'start ::= "a"' }],
    ['an endless expansion', { regex: '((a{1,300}){1,300}){1,300}' }],
  ])('refuse %s, and go on serving', async (_, structured) => {
    const response = await caller.post('/inference/v1/generate', request(structured as StructuredOutputs));
    expect(response.status).toBe(400);
    const { error } = (await response.json()) as { error: { message: string; param: null; type: string } };
    expect(error).toMatchObject({ param: null, type: 'BadRequestError' });
    const [text] = await textsOf({ choice: ['fine'] }, 1);
    expect(text).toBe('fine');
  });

  it('run beside plain requests without touching them', async () => {
    const plain = {
      token_ids: [50, 51, 52],
      sampling_params: { temperature: 0, ignore_eos: true, max_tokens: 40 },
    };
    const alone = (await caller.generate(plain)).choices[0]!.token_ids;
    const beside = textsOf({ regex: '[a-z]{20}' }, 5);
    expect((await caller.generate(plain)).choices[0]!.token_ids).toEqual(alone);
    for (const text of await beside) expect(text).toMatch(/^[a-z]{20}$/);
  });
});
