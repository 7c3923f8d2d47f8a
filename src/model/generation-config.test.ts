import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { generationConfig } from './generation-config.js';

let folder = '';
let model = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tito-generation-'));
  model = join(folder, 'model.gguf');
});
afterEach(() => rmSync(folder, { recursive: true }));

const write = (value: unknown): void =>
  writeFileSync(join(folder, 'generation_config.json'), JSON.stringify(value));
const NONE = { sampling: {}, maxTokensLimit: null, eosIds: [] };

describe('generationConfig', () => {
  it('is empty where the model brings none, and with vllm', async () => {
    expect(await generationConfig(model, { source: 'auto', override: null })).toEqual(NONE);
    write({ temperature: 0.6 });
    expect(await generationConfig(model, { source: 'vllm', override: null })).toEqual(NONE);
  });

  it("reads what lies beside the model; the model's own limit is only a default", async () => {
    write({ temperature: 0.6, top_k: 20, do_sample: true, max_new_tokens: 99, eos_token_id: [5, 7] });
    expect(await generationConfig(model, { source: 'auto', override: null })).toEqual({
      sampling: { temperature: 0.6, top_k: 20, max_tokens: 99 },
      maxTokensLimit: null,
      eosIds: [5, 7],
    });
  });

  it("holds every request to the operator's limit, from a folder, a file or an override", async () => {
    write({ max_new_tokens: 99, eos_token_id: 5 });
    const read = { sampling: { max_tokens: 99 }, maxTokensLimit: 99, eosIds: [5] };
    expect(await generationConfig('elsewhere/x.gguf', { source: folder, override: null })).toEqual(read);
    const file = join(folder, 'generation_config.json');
    expect(await generationConfig('elsewhere/x.gguf', { source: file, override: null })).toEqual(read);
    const override = '{"max_new_tokens": 8, "temperature": 0}';
    expect(await generationConfig(model, { source: 'auto', override })).toEqual({
      sampling: { max_tokens: 8, temperature: 0 },
      maxTokensLimit: 8,
      eosIds: [5],
    });
  });

  it('refuses what can not be used', async () => {
    write({ top_p: 'much' });
    await expect(generationConfig(model, { source: 'auto', override: null })).rejects.toThrow(
      /top_p must be a number/,
    );
    await expect(generationConfig(model, { source: 'vllm', override: '[]' })).rejects.toThrow(/JSON object/);
    writeFileSync(join(folder, 'generation_config.json'), '{');
    await expect(generationConfig(model, { source: 'auto', override: null })).rejects.toThrow(/JSON object/);
  });
});
