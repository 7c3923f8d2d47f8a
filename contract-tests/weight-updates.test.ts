/** New weights while requests run: nothing is lost, spans are right, refused checkpoints change nothing. */
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeTinyModel } from '../scripts/make-tiny-model.js';
import { Caller } from './client.js';
import { startTito } from './own-server.js';
import { tinyServer } from './tiny-server.js';

describe.each([
  ['float32', '1'],
  ['auto', '2'],
])('--dtype %s on %s ranks', (dtype, ranks) => {
  const args = ['--dtype', dtype, '--data-parallel-size', ranks, '--max-num-seqs', '16'];
  const tiny = tinyServer([...args, '--enable-rl-control', '--weights-dir', '.'], { model: { seed: 1 } });
  const post = async (path: string, body: unknown): Promise<number> => {
    const response = await fetch(`${tiny.server.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    await response.text();
    return response.status;
  };
  const load = (path: string): Promise<number> => post('/update_weights', { update_info: { path } });
  const prompt = Array.from({ length: 40 }, (_, i) => 10 + i);
  const ask = async (caller: Caller, max_tokens: number) =>
    (
      await caller.generate({
        token_ids: prompt,
        sampling_params: { temperature: 0, max_tokens, logprobs: 1, ignore_eos: true },
      })
    ).choices[0]!;

  it('refuses misuse and what does not fit, then swaps under load', async () => {
    const before = await ask(tiny.caller, 20);
    expect(await load('x')).toBe(400);
    expect(await post('/finish_weight_update', {})).toBe(400);
    expect(await post('/start_weight_update', {})).toBe(200);
    expect(await post('/start_weight_update', {})).toBe(400);
    expect(await post('/finish_weight_update', {})).toBe(400);
    expect(await load('/etc/passwd')).toBe(400);
    expect(await load('../../../../etc/passwd')).toBe(400);
    writeFileSync(join(process.cwd(), 'node_modules', '.broken.safetensors'), 'junk of some length');
    expect(await load('node_modules/.broken.safetensors')).toBe(400);
    expect((await ask(tiny.caller, 20)).logprobs).toEqual(before.logprobs);

    const folder = join(process.cwd(), 'node_modules', `.weights-${dtype}`);
    mkdirSync(folder, { recursive: true });
    const made = await makeTinyModel(folder, { seed: 2 });
    const model = join(folder, 'new.gguf');
    renameSync(made, model);
    const running = Array.from({ length: 16 }, () => ask(tiny.caller, 150));
    expect(await load(`node_modules/.weights-${dtype}/new.gguf`)).toBe(200);
    const late = Array.from({ length: 8 }, () => ask(tiny.caller, 150));
    expect(await post('/finish_weight_update', { weight_version: 'v2' })).toBe(200);
    for (const choice of await Promise.all([...running, ...late])) expect(choice.token_ids).toHaveLength(150);

    const fresh = await startTito([model, '--enable-scale-out', ...args], { TITO_CACHE: folder });
    const expected = await ask(new Caller(fresh.url), 20).finally(() => fresh.stop());
    const after = await ask(tiny.caller, 20);
    expect(after.token_ids).toEqual(expected.token_ids);
    expect(after.logprobs).toEqual(expected.logprobs);
    expect(after.logprobs).not.toEqual(before.logprobs);
  }, 60_000);
});
