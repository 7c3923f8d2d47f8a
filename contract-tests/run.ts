/**
 * Runs the contract cases against a mock, a server of our own, or any server:
 *
 *   node dist/contract-tests/run.js --mock | --serve | --target http://host:port [--differences FILE]
 *
 * Each answer must have the status of its case and the shape that openapi.yaml gives it; on real servers it must
 * also hold what the case expects. FILE names cases that a server is known to answer otherwise, with the reason.
 */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { parse } from 'yaml';
import { type ContractCase, readCases } from './cases.js';
import { Conformance } from './conformance.js';
import { send } from './exchange.js';
import { unmet } from './expectations.js';
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

const conformance = new Conformance();
const differences = values.differences
  ? (parse(readFileSync(values.differences, 'utf8')) as Record<string, string>)
  : {};

process.exitCode = await main();

async function main(): Promise<number> {
  const own = await startOwn();
  try {
    return await runAll(own?.url ?? values.target!);
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

async function runAll(base: string): Promise<number> {
  let passed = 0;
  let failed = 0;
  for (const contractCase of readCases('contract-tests/cases')) {
    const reason = values.mock ? contractCase.notOnMock : differences[contractCase.name];
    if (reason !== undefined) {
      process.stdout.write(`left out  ${contractCase.name}: ${reason}\n`);
      continue;
    }
    const faults = await check(base, contractCase);
    if (faults.length === 0) passed++;
    else failed++;
    for (const fault of faults) process.stdout.write(`FAIL  ${contractCase.name}: ${fault}\n`);
  }
  process.stdout.write(`${passed} passed, ${failed} failed\n`);
  return failed === 0 ? 0 : 1;
}

async function check(base: string, { request, status, expect = [] }: ContractCase): Promise<string[]> {
  const answer = await send(base, request, `Bearer ${values.key}`);
  if (answer.status !== status)
    return [`status must be ${status}, got ${answer.status}: ${answer.text.slice(0, 300)}`];
  return [...conformance.faults(request, answer), ...(values.mock ? [] : unmet(expect, answer))];
}
