import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { optionsPage } from '../scripts/write-options-page.js';
import { resolveConfig } from './config.js';
import { packageRoot } from './package-info.js';

describe('resolveConfig', () => {
  it('takes flags before the environment, and our names before others', () => {
    const env = { TITO_PORT: '1', VLLM_PORT: '2', VLLM_API_KEY: 'k' };
    expect(resolveConfig(null, { port: '3' }, env).port).toBe(3);
    expect(resolveConfig(null, {}, env).port).toBe(1);
    expect(resolveConfig(null, {}, { VLLM_PORT: '2' }).port).toBe(2);
    expect(resolveConfig(null, {}, env).apiKey).toEqual(['k']);
    expect(resolveConfig(null, {}, {}).port).toBe(8000);
  });

  it('understands switches of the environment', () => {
    expect(resolveConfig(null, {}, { VLLM_SERVER_DEV_MODE: '1' }).enableRlControl).toBe(true);
    expect(resolveConfig(null, {}, { VLLM_SERVER_DEV_MODE: '0' }).enableRlControl).toBe(false);
    expect(resolveConfig(null, { enablePrefixCaching: false }, {}).enablePrefixCaching).toBe(false);
    expect(resolveConfig(null, {}, { VLLM_LOGGING_LEVEL: 'DEBUG' }).logLevel).toBe('debug');
  });

  it.each([
    [{ port: '-1' }, /--port must be an integer of at least 0/],
    [{ maxNumSeqs: 'x' }, /--max-num-seqs/],
    [{ dtype: 'bfloat1' }, /--dtype must be one of/],
    [{ returnSamplingMask: true }, /--logprobs-mode processed_logprobs/],
  ])('refuses %j', (given, message) => {
    expect(() => resolveConfig(null, given, {})).toThrow(message);
  });
});

describe('docs/options.md', () => {
  it('is what the option table gives', () => {
    expect(readFileSync(join(packageRoot, 'docs', 'options.md'), 'utf8')).toBe(optionsPage());
  });
});
