import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parse } from 'yaml';
import { packageRoot } from '../package-info.js';
import type { CaseRequest } from './exchange.js';

/** One thing that the contract promises. */
export interface ContractCase {
  /** Name of the file that it is in, such as `generate`. */
  suite: string;
  name: string;
  request: CaseRequest;
  status: number;
  /** Checked on real servers only: an example can't know. Paths are into the answer's JSON, or `events` of a stream. */
  expect?: Expectation[];
  /** Why a mock can't answer this as a server does; the case is left out there. */
  notOnMock?: string;
}

export interface Expectation {
  /** Such as `choices[0].token_ids` or `events[-2].usage`. */
  path: string;
  equals?: unknown;
  /** The value at another path. */
  equalsPath?: string;
  length?: number;
  /** The length of the list at another path. */
  lengthOfPath?: string;
  matches?: string;
  absent?: boolean;
}

/** Every case of a folder of YAML files, in order of file name. */
export function readCases(folder = join(packageRoot, 'contract-tests', 'cases')): ContractCase[] {
  const files = readdirSync(folder)
    .filter((name) => name.endsWith('.yaml'))
    .sort();
  return files.flatMap((name) => {
    const cases = parse(readFileSync(join(folder, name), 'utf8')) as Array<Omit<ContractCase, 'suite'>>;
    return cases.map((contractCase) => ({ suite: basename(name, '.yaml'), ...contractCase }));
  });
}
