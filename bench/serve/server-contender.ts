import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { freePort } from '../own-server.js';
import type { Contender, Running } from './contender.js';
import { usageOfTree } from './process-usage.js';
import { readStream } from './stream.js';
import type { Wire } from './wire.js';

export interface ServerCommand {
  name: string;
  precision: string;
  command: string;
  args(port: number): string[];
  environment?: Readonly<Record<string, string>>;
  workingDirectory?: string;
  wire: Wire;
}

/** Some take minutes. */
const START_LIMIT_MS = 600_000;

/** A server that is started by a command and says at /health when it is ready. */
export function serverContender(server: ServerCommand): Contender {
  return { name: server.name, precision: server.precision, start: () => start(server) };
}

async function start(server: ServerCommand): Promise<Running> {
  const port = await freePort();
  const child = spawn(server.command, server.args(port), {
    stdio: 'ignore',
    env: { ...process.env, ...server.environment },
    cwd: server.workingDirectory,
  });
  const exited = once(child, 'exit');
  const url = `http://127.0.0.1:${port}`;
  try {
    await healthy(url, () => child.exitCode !== null || child.signalCode !== null);
  } catch (error) {
    child.kill('SIGTERM');
    throw error;
  }
  return {
    stream: (prompt, outputTokens) => readStream(url, server.wire, prompt, outputTokens),
    batch: null,
    usage: () => usageOfTree(child.pid!),
    async stop() {
      child.kill('SIGTERM');
      await exited;
    },
  };
}

async function healthy(url: string, ended: () => boolean): Promise<void> {
  const deadline = performance.now() + START_LIMIT_MS;
  while (performance.now() < deadline) {
    if (ended()) throw new Error(`${url} ended before it was ready`);
    const ok = await fetch(`${url}/health`).then(
      (response) => response.ok,
      () => false,
    );
    if (ok) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`${url} did not become healthy within ${START_LIMIT_MS / 1000} s`);
}
