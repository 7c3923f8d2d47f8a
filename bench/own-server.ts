import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';

const CLI = fileURLToPath(new URL('../src/cli.js', import.meta.url));

/** Serve a model on a free port for as long as `use` takes, with an engine or without. */
export async function withServer<T>(
  kind: 'serve' | 'render-server',
  args: readonly string[],
  use: (url: string) => Promise<T>,
): Promise<T> {
  const port = await freePort();
  const scaleOut = kind === 'serve' ? ['--enable-scale-out'] : [];
  const command = [CLI, kind, ...scaleOut, '--port', String(port), '--log-level', 'warn', ...args];
  const server = spawn(process.execPath, command, { stdio: 'inherit' });
  try {
    const url = `http://127.0.0.1:${port}`;
    await healthy(url);
    return await use(url);
  } finally {
    server.kill('SIGTERM');
    await once(server, 'exit');
  }
}

/** Resolves when the server says so, asked every `everyMs`; rejects after a minute. */
export async function healthy(url: string, everyMs = 100): Promise<void> {
  const deadline = performance.now() + 60_000;
  while (performance.now() < deadline) {
    const ok = await fetch(`${url}/health`).then(
      (response) => response.ok,
      () => false,
    );
    if (ok) return;
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
  throw new Error('the server did not become healthy within a minute');
}

/** A port of 127.0.0.1 that is free now. */
export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as { port: number };
  probe.close();
  return port;
}
