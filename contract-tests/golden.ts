/**
 * Replays recorded exchanges of a reference server against servers of our own:
 *
 *   node dist/contract-tests/golden.js FOLDER [--model FILE] [--only FILE]
 *
 * FOLDER holds the recordings and their `replay.py`. Each file is replayed on a server started with the options that
 * it was recorded with, in float32.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { renamedTokens } from '../scripts/rename-tokens.js';
import { describeSource } from '../src/model/load-model.js';
import { startRenderServer, startTito } from './own-server.js';

interface Recording {
  files: readonly string[];
  /** Server options beside the common ones. */
  args: readonly string[];
  env?: Readonly<Record<string, string>>;
  /** Default: the whole server. */
  server?: 'render-server';
  /** Names that tokens have in this recording, by id. */
  tokens?: ReadonlyMap<number, string>;
}

const RENDER = ['--max-model-len', '2048', '--served-model-name', 'smollm2'];
const COMMON = [...RENDER, '--dtype', 'float32', '--max-num-seqs', '16'];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { model: { type: 'string' }, only: { type: 'string' } },
});
const [folder] = positionals;
if (!folder || !existsSync(join(folder, 'replay.py'))) {
  process.stderr.write('Name a folder of recordings with its replay.py: make golden GOLDEN=DIR\n');
  process.exit(1);
}

const withParsers = [
  '--enable-scale-out',
  '--enable-auto-tool-choice',
  '--tool-call-parser',
  'hermes',
  '--chat-template',
  resolve(folder, 'chatml_tools.jinja'),
];
const THINK_TOKENS = new Map([
  [11, '<think>'],
  [12, '</think>'],
]);

const RECORDINGS: readonly Recording[] = [
  { files: ['scale-out.json', 'decided.json'], args: ['--enable-scale-out'] },
  { files: ['disabled.json'], args: [] },
  { files: ['api-key.json'], args: ['--enable-scale-out', '--api-key', 'secret'] },
  { files: ['api-key-tokens-only.json'], args: ['--tokens-only', '--api-key', 'secret'] },
  {
    files: ['skip-tokenizer.json', 'decided-skip-tokenizer.json'],
    args: ['--enable-scale-out', '--skip-tokenizer-init'],
  },
  { files: ['tokens-only.json', 'decided-tokens-only.json'], args: ['--tokens-only'] },
  { files: ['placeholders.json'], args: ['--enable-scale-out', '--return-tokens-as-token-ids'] },
  { files: ['priority.json'], args: ['--enable-scale-out', '--scheduling-policy', 'priority'] },
  { files: ['dev.json'], args: ['--enable-scale-out'], env: { VLLM_SERVER_DEV_MODE: '1' } },
  { files: ['launch-render.json'], args: [], server: 'render-server' },
  { files: ['parsers.json'], args: [...withParsers, '--reasoning-parser', 'qwen3'] },
  { files: ['parsers-hermes.json'], args: withParsers },
  {
    files: ['parsers-r1.json'],
    args: [...withParsers, '--reasoning-parser', 'deepseek_r1'],
    tokens: THINK_TOKENS,
  },
];

const scratch = mkdtempSync(join(tmpdir(), 'tito-golden-'));
let failed = 0;
try {
  for (const recording of RECORDINGS) {
    if (values.only && !recording.files.includes(values.only)) continue;
    failed += await replay(folder, recording);
  }
} finally {
  rmSync(scratch, { recursive: true });
}
process.exitCode = failed === 0 ? 0 : 1;

/** Replay one group of files; resolves with 1 when a case failed, else 0. */
async function replay(from: string, recording: Recording): Promise<number> {
  const server = await start(recording);
  try {
    const command = recording.server ?? 'serve';
    process.stdout.write(`\n${recording.files.join(', ')}: tito ${command} ${recording.args.join(' ')}\n`);
    const script = ['replay.py', '--base', server.url, ...recording.files];
    const child = spawn('python3', script, { cwd: from, stdio: ['ignore', 'pipe', 'inherit'] });
    createInterface(child.stdout).on('line', (line) => process.stdout.write(`${line}\n`));
    const [code] = (await once(child, 'close')) as [number];
    return code === 0 ? 0 : 1;
  } finally {
    await server.stop();
  }
}

async function start({ args, env = {}, server, tokens }: Recording) {
  const model = tokens ? [await modelWith(tokens)] : values.model ? [values.model] : [];
  if (server === 'render-server') return startRenderServer([...model, ...RENDER, ...args], env);
  return startTito([...model, ...COMMON, ...args], env);
}

/** A copy of the model in which tokens have other names. */
async function modelWith(tokens: ReadonlyMap<number, string>): Promise<string> {
  const { source } = await describeSource(values.model);
  const path = join(scratch, 'renamed.gguf');
  await writeFile(path, renamedTokens(await readFile(source), tokens));
  return path;
}
