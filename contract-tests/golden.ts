/**
 * Replays recorded exchanges of a reference server against servers of our own:
 *
 *   node dist/contract-tests/golden.js FOLDER [--model FILE]
 *
 * FOLDER holds the recordings and their `replay.py`. Each file is replayed on a server started with the options that
 * it was recorded with, in float32. What this release does not serve yet is left out by area, and said.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { startTito } from './own-server.js';

interface Recording {
  files: readonly string[];
  /** Server options beside the common ones. */
  args: readonly string[];
  env?: Readonly<Record<string, string>>;
  /** Options of the replay. */
  replay?: readonly string[];
}

const COMMON = [
  '--dtype',
  'float32',
  '--max-model-len',
  '2048',
  '--max-num-seqs',
  '16',
  '--served-model-name',
  'smollm2',
];
/** Areas of the contract that this release answers with a 501. */
const SERVED = ['--skip', 'render,derender,pipeline', '--not', '^(tokenize|detokenize)-'];
/** The same in files whose cases have one area for everything. */
const SERVED_BY_NAME = ['--not', '(render|derender|tokenize)(-ids)?$'];
const FIRST = ['--names', 'first.txt'];

const RECORDINGS: readonly Recording[] = [
  { files: ['scale-out.json', 'decided.json'], args: ['--enable-scale-out'], replay: SERVED },
  { files: ['disabled.json'], args: [] },
  { files: ['api-key.json'], args: ['--enable-scale-out', '--api-key', 'secret'], replay: FIRST },
  {
    files: ['api-key-tokens-only.json'],
    args: ['--tokens-only', '--api-key', 'secret'],
    replay: FIRST,
  },
  {
    files: ['skip-tokenizer.json', 'decided-skip-tokenizer.json'],
    args: ['--enable-scale-out', '--skip-tokenizer-init'],
    replay: SERVED_BY_NAME,
  },
  {
    files: ['tokens-only.json', 'decided-tokens-only.json'],
    args: ['--tokens-only'],
    replay: SERVED_BY_NAME,
  },
  {
    files: ['placeholders.json'],
    args: ['--enable-scale-out', '--return-tokens-as-token-ids'],
    replay: SERVED_BY_NAME,
  },
  {
    files: ['priority.json'],
    args: ['--enable-scale-out', '--scheduling-policy', 'priority'],
    replay: SERVED_BY_NAME,
  },
  { files: ['dev.json'], args: ['--enable-scale-out'], env: { VLLM_SERVER_DEV_MODE: '1' } },
];

const { values, positionals } = parseArgs({ allowPositionals: true, options: { model: { type: 'string' } } });
const [folder] = positionals;
if (!folder || !existsSync(join(folder, 'replay.py'))) {
  process.stderr.write('Name a folder of recordings with its replay.py: make golden GOLDEN=DIR\n');
  process.exit(1);
}

let failed = 0;
for (const recording of RECORDINGS) failed += await replay(folder, recording);
process.exitCode = failed === 0 ? 0 : 1;

/** Replay one group of files; resolves with 1 when a case failed, else 0. */
async function replay(
  from: string,
  { files, args, env = {}, replay: options = [] }: Recording,
): Promise<number> {
  const model = values.model ? [values.model] : [];
  const server = await startTito([...model, ...COMMON, ...args], env);
  try {
    process.stdout.write(`\n${files.join(', ')}: tito serve ${args.join(' ')}\n`);
    const command = ['replay.py', '--base', server.url, ...options, ...files];
    const child = spawn('python3', command, { cwd: from, stdio: ['ignore', 'pipe', 'inherit'] });
    createInterface(child.stdout).on('line', (line) => process.stdout.write(`${line}\n`));
    const [code] = (await once(child, 'close')) as [number];
    return code === 0 ? 0 : 1;
  } finally {
    await server.stop();
  }
}
