import type { ContractCase } from './cases.js';
import type { Conformance } from './conformance.js';
import { type Answer, send } from './exchange.js';
import { unmet } from './expectations.js';
import { whyUnsupported } from './unsupported.js';

export type Outcome = 'passed' | 'failed' | 'unsupported' | 'left out';

export interface CaseResult {
  readonly contractCase: ContractCase;
  readonly outcome: Outcome;
  /** Faults of a case that failed; the reason of one that was not held against the server. */
  readonly details: readonly string[];
  readonly seconds: number;
}

export interface Target {
  /** Such as `http://localhost:8000`. */
  readonly url: string;
  readonly apiKey: string | null;
  readonly conformance: Conformance;
  /** Longest wait for an answer, in milliseconds. */
  readonly timeoutMs?: number;
  /** Status and shape alone: a mock answers with examples. */
  readonly shapesOnly?: boolean;
  /** Why a case is not tried here; undefined when it is. */
  leaveOut(contractCase: ContractCase): string | undefined;
}

/** Try the cases one after the other: each must have its status, the shape of the contract and what it expects. */
export async function* runCases(cases: readonly ContractCase[], target: Target): AsyncGenerator<CaseResult> {
  for (const contractCase of cases) {
    const startedAt = performance.now();
    const verdict = await tried(contractCase, target);
    yield { contractCase, ...verdict, seconds: (performance.now() - startedAt) / 1000 };
  }
}

type Verdict = Pick<CaseResult, 'outcome' | 'details'>;

async function tried(contractCase: ContractCase, target: Target): Promise<Verdict> {
  const reason = target.leaveOut(contractCase);
  if (reason !== undefined) return { outcome: 'left out', details: [reason] };
  if (contractCase.status === 401 && target.apiKey === null) {
    return { outcome: 'unsupported', details: ['no API key was given, so refusals can not be tried'] };
  }
  try {
    return judged(
      contractCase,
      await send(target.url, contractCase.request, target.apiKey, target.timeoutMs),
      target,
    );
  } catch (error) {
    return { outcome: 'failed', details: [`no answer: ${causeOf(error)}`] };
  }
}

function judged(contractCase: ContractCase, answer: Answer, target: Target): Verdict {
  const { request, status, expect = [] } = contractCase;
  const { conformance } = target;
  if (answer.status !== status) {
    const lacking = whyUnsupported(answer, conformance.tagOf(request));
    if (lacking !== null) return { outcome: 'unsupported', details: [lacking] };
    const details = [`status must be ${status}, got ${answer.status}: ${answer.text.slice(0, 300)}`];
    return { outcome: 'failed', details };
  }
  const details = [
    ...conformance.faults(request, answer),
    ...(target.shapesOnly ? [] : unmet(expect, answer)),
  ];
  return { outcome: details.length === 0 ? 'passed' : 'failed', details };
}

function causeOf(error: unknown): string {
  const { message, cause } = error as Error;
  return cause instanceof Error ? cause.message : message;
}
