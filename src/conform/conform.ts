import { readFileSync, writeFileSync } from 'node:fs';
import { parse } from 'yaml';
import { StartupError } from '../errors.js';
import { type ContractCase, readCases } from './cases.js';
import { Conformance } from './conformance.js';
import { junitOf } from './junit.js';
import { Report } from './report.js';
import { type CaseResult, runCases } from './run-cases.js';

export interface ConformOptions {
  apiKey?: string | undefined;
  /** Where to write JUnit XML. */
  junit?: string | undefined;
  /** YAML of case names that the server is known to answer otherwise, each with the reason. */
  differences?: string | undefined;
  /** Only cases whose suite or name contains this. */
  only?: string | undefined;
  /** Try the paths that stop and change the server, too. */
  control?: boolean;
  /** A mock: status and shape alone. */
  mock?: boolean;
  /** Longest wait for an answer, in seconds. */
  timeout?: number | undefined;
}

/**
 * Try every contract case against the server at `url` and print the report. Answers the exit status: 0 when something
 * passed and nothing failed, else 1. Throws a StartupError when nothing answers there.
 */
export async function conform(
  url: string,
  options: ConformOptions,
  out: NodeJS.WriteStream,
): Promise<number> {
  const base = addressOf(url);
  const apiKey = options.apiKey ?? null;
  await checkAnswers(base, apiKey);
  const conformance = new Conformance();
  const report = new Report(base, apiKey !== null, out.isTTY && out.hasColors());
  const results: CaseResult[] = [];
  const target = {
    url: base,
    apiKey,
    conformance,
    shapesOnly: options.mock ?? false,
    leaveOut: leavingOut(options, conformance),
    ...(options.timeout === undefined ? {} : { timeoutMs: options.timeout * 1000 }),
  };
  for await (const result of runCases(casesOf(options.only), target)) {
    results.push(result);
    out.write(report.lines(result));
  }
  out.write(report.summary(results));
  const has = (wanted: string): boolean => results.some(({ outcome }) => outcome === wanted);
  if (!has('passed')) out.write('Nothing of this API is there.\n');
  if (options.junit) writeFileSync(options.junit, junitOf(results, base, apiKey !== null));
  return has('passed') && !has('failed') ? 0 : 1;
}

function casesOf(only: string | undefined): ContractCase[] {
  const cases = readCases().filter(({ suite, name }) => !only || suite.includes(only) || name.includes(only));
  if (cases.length === 0) throw new StartupError(`No case has "${only}" in its suite or name.`);
  return cases;
}

function leavingOut(
  { differences, control, mock }: ConformOptions,
  conformance: Conformance,
): (contractCase: ContractCase) => string | undefined {
  const known = differences ? readDifferences(differences) : {};
  return ({ name, request, notOnMock }) => {
    if (mock && notOnMock !== undefined) return notOnMock;
    if (!control && conformance.tagOf(request) === 'control') {
      return 'paths that stop or change the server are tried with --control';
    }
    return known[name];
  };
}

function readDifferences(file: string): Record<string, string> {
  try {
    return (parse(readFileSync(file, 'utf8')) ?? {}) as Record<string, string>;
  } catch (error) {
    throw new StartupError(`Can't read --differences ${file}: ${(error as Error).message}`);
  }
}

/** The address without a slash at its end. */
function addressOf(url: string): string {
  if (!/^https?:\/\//.test(url)) throw new StartupError(`${url} is not an address; it begins with http://`);
  return url.replace(/\/+$/, '');
}

/** Throws when nothing answers, or nothing but refusals of the key: every case would fail for that alone. */
async function checkAnswers(base: string, apiKey: string | null): Promise<void> {
  const headers = apiKey === null ? {} : { authorization: `Bearer ${apiKey}` };
  const signal = AbortSignal.timeout(PROBE_MS);
  const answer = await fetch(`${base}/v1/models`, { headers, signal }).catch(() => null);
  if (!answer) {
    throw new StartupError(`Nothing answers at ${base}. Start the server first, or check address and port.`);
  }
  if (answer.status !== 401) return;
  throw new StartupError(
    apiKey === null
      ? 'The server wants a key: give it with --api-key or TITO_API_KEY.'
      : 'The server refuses this key. Look at --api-key and TITO_API_KEY.',
  );
}

const PROBE_MS = 10_000;
