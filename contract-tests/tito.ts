import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { packageRoot } from '../src/package-info.js';

const CLI = join(packageRoot, 'dist', 'src', 'cli.js');

export interface Ended {
  code: number | null;
  out: string;
  errors: string;
}

/** Run the command line to its end; `input` is what it reads, none by default. */
export async function tito(args: readonly string[], env: NodeJS.ProcessEnv = {}, input = ''): Promise<Ended> {
  const child = spawn(process.execPath, [CLI, ...args], { env: { ...process.env, ...env } });
  child.stdin.end(input);
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  const [out, errors, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { code, out, errors };
}
