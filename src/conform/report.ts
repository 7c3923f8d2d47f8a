import { asCurl } from './curl.js';
import type { CaseResult, Outcome } from './run-cases.js';

/** Codes of the terminal (SGR). */
const COLOURS = { dim: 2, red: 31, green: 32, yellow: 33 } as const;
type Colour = keyof typeof COLOURS;

const MARKS: Readonly<Record<Outcome, readonly [mark: string, colour: Colour]>> = {
  passed: ['✓', 'green'],
  failed: ['✗', 'red'],
  unsupported: ['–', 'yellow'],
  'left out': ['·', 'dim'],
};

/** The readable report: a line for each case, and for those that failed why, and how to ask again. */
export class Report {
  #suite = '';

  constructor(
    private readonly url: string,
    private readonly hasKey: boolean,
    private readonly isColoured: boolean,
  ) {}

  /** What to print for a result; ends in a line feed. */
  lines({ contractCase, outcome, details }: CaseResult): string {
    const { suite, name, request } = contractCase;
    // Named together at the end: often they are many, for one reason.
    if (outcome === 'left out') return '';
    const [mark, colour] = MARKS[outcome];
    const heading = suite === this.#suite ? '' : `${this.#suite === '' ? '' : '\n'}${suite}\n`;
    this.#suite = suite;
    const verdict = this.#painted(colour, `${mark} ${outcome.padEnd(11)}`);
    if (outcome === 'passed') return `${heading}  ${verdict} ${name}\n`;
    if (outcome !== 'failed') return `${heading}  ${verdict} ${name}: ${details.join('; ')}\n`;
    const faults = details.map((fault) => `      ${fault}\n`).join('');
    return `${heading}  ${verdict} ${name}\n${faults}      ${asCurl(this.url, request, this.hasKey)}\n`;
  }

  /** The last lines: how many of each, and why cases were left out. */
  summary(results: readonly CaseResult[]): string {
    const of = (wanted: Outcome): CaseResult[] => results.filter(({ outcome }) => outcome === wanted);
    const counts = (Object.keys(MARKS) as Outcome[]).map((outcome) => `${of(outcome).length} ${outcome}`);
    const leftOut = [...byReason(of('left out'))].map(
      ([reason, cases]) => `${this.#painted('dim', `${cases.length} left out: ${reason}`)}\n`,
    );
    const colour = of('failed').length > 0 ? 'red' : 'green';
    return `\n${leftOut.join('')}${this.#painted(colour, counts.join(', '))}\n`;
  }

  #painted(colour: Colour, text: string): string {
    return this.isColoured ? `\u001b[${COLOURS[colour]}m${text}\u001b[0m` : text;
  }
}

function byReason(results: readonly CaseResult[]): Map<string, CaseResult[]> {
  const reasons = new Map<string, CaseResult[]>();
  for (const result of results) {
    const reason = result.details.join('; ');
    reasons.set(reason, [...(reasons.get(reason) ?? []), result]);
  }
  return reasons;
}
