/**
 * Runs the contract cases against a mock, a server of our own, or any server:
 *
 *   node dist/contract-tests/run.js --mock | --serve | --target http://host:port [--differences FILE] [--key KEY]
 *
 * `tito conform` is the same for servers that run already; here the paths of tag control are tried too.
 */
import { parseArgs } from 'node:util';
import { conform } from '../src/conform/conform.js';
import { type RunningServer, startMock, startTito } from './own-server.js';

const KEY = 'contract-key';

const { values } = parseArgs({
  options: {
    mock: { type: 'boolean', default: false },
    serve: { type: 'boolean', default: false },
    target: { type: 'string' },
    differences: { type: 'string' },
    key: { type: 'string', default: KEY },
    model: { type: 'string' },
  },
});

process.exitCode = await main();

async function main(): Promise<number> {
  const own = await startOwn();
  const { key: apiKey, differences, mock } = values;
  try {
    return await conform(
      own?.url ?? values.target!,
      { apiKey, differences, mock, control: true },
      process.stdout,
    );
  } finally {
    await own?.stop();
  }
}

async function startOwn(): Promise<RunningServer | null> {
  if (values.mock) return startMock();
  if (values.target) return null;
  const model = values.model ? [values.model] : [];
  return startTito([
    ...model,
    '--enable-scale-out',
    '--enable-rl-control',
    '--max-model-len',
    '2048',
    '--api-key',
    values.key,
  ]);
}
