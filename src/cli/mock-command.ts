import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Command } from 'commander';
import { StartupError } from '../errors.js';
import { packageRoot } from '../package-info.js';
import { positiveInteger } from './argument-checks.js';
import { examples } from './examples.js';

const PRISM = '@stoplight/prism-cli';

/** `tito mock`: the contract's examples as a server. Prism is large, so whoever wants a mock installs it beside tito. */
export function mockCommand(): Command {
  const command = new Command('mock')
    .description(`Serve the examples of openapi.yaml, without a model. Needs ${PRISM}.`)
    .option('--host <value>', 'Address to listen on.', '127.0.0.1')
    .option('--port <value>', 'Port to listen on.', positiveInteger, 4010)
    .option('--dynamic', 'Make answers up from the schemas instead.', false)
    .action(async ({ host, port, dynamic }: { host: string; port: number; dynamic: boolean }) => {
      const args = ['mock', join(packageRoot, 'openapi.yaml'), '--host', host, '--port', String(port)];
      process.exitCode = await run([prism(), ...args, ...(dynamic ? ['--dynamic'] : [])]);
    });
  return examples(command, [
    ['A server to write a client against', 'tito mock --port 8000'],
    ['Then, for the example "logprobs" of an answer', "curl -H 'Prefer: example=logprobs' …"],
  ]);
}

/** The program's file: installed with tito or in the folder that it is called from. */
function prism(): string {
  for (const folder of [packageRoot, process.cwd()]) {
    const from = createRequire(join(folder, 'package.json'));
    try {
      const { bin } = from(`${PRISM}/package.json`) as { bin: { prism: string } };
      return join(from.resolve(`${PRISM}/package.json`), '..', bin.prism);
    } catch {
      // Not there; the next place may have it.
    }
  }
  throw new StartupError(
    `tito mock runs Prism, which is not installed. Install it: npm install --save-dev ${PRISM}@5.14.2\n` +
      'Without it, tito serve is a real server that needs no more than the default model (98 MB).',
  );
}

async function run(command: string[]): Promise<number> {
  const child = spawn(process.execPath, command, { stdio: 'inherit' });
  const pass = (signal: NodeJS.Signals): void => void child.kill(signal);
  process.on('SIGTERM', pass).on('SIGINT', pass);
  const [code] = (await once(child, 'exit')) as [number | null];
  return code ?? 0;
}
