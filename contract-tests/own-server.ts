import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { packageRoot } from '../src/package-info.js';

const CLI = join(packageRoot, 'dist', 'src', 'cli.js');
const TRIES = 1200;

export interface RunningServer {
  url: string;
  pid: number;
  stop(): Promise<void>;
}

/** Start `tito serve` with these arguments on a free port of this machine; resolves when it is healthy. */
export function startTito(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<RunningServer> {
  return startCommand('serve', args, env);
}

/** The same for `tito render-server`. */
export function startRenderServer(
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<RunningServer> {
  return startCommand('render-server', args, env);
}

async function startCommand(
  name: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<RunningServer> {
  const port = await freePort();
  const command = [CLI, name, '--port', String(port), '--log-level', 'warn', ...args];
  const child = spawn(process.execPath, command, {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, ...env },
  });
  return running(child, `http://127.0.0.1:${port}`, '/health');
}

/** Start a Prism mock of the contract. */
export async function startMock(): Promise<RunningServer> {
  const port = await freePort();
  const child = spawn(process.execPath, [CLI, 'mock', '--port', String(port)], { stdio: 'ignore' });
  return running(child, `http://127.0.0.1:${port}`, '/version');
}

async function running(child: ChildProcess, url: string, probe: string): Promise<RunningServer> {
  const gone = once(child, 'exit');
  await Promise.race([
    answers(`${url}${probe}`),
    gone.then(() =>
      Promise.reject(new Error('the server ended before it was ready; its messages are above')),
    ),
  ]);
  return {
    url,
    pid: child.pid!,
    stop: async () => {
      child.kill('SIGTERM');
      await gone;
    },
  };
}

async function answers(url: string): Promise<void> {
  for (let tries = 0; tries < TRIES; tries++) {
    const ok = await fetch(url).then(
      (response) => response.ok,
      () => false,
    );
    if (ok) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`${url} did not answer within two minutes`);
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as { port: number };
  probe.close();
  await once(probe, 'close');
  return port;
}
