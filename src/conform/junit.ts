import { asCurl } from './curl.js';
import type { CaseResult } from './run-cases.js';

/** The results as JUnit XML, as CI systems read it: one suite for each file of cases. */
export function junitOf(results: readonly CaseResult[], url: string, hasKey: boolean): string {
  const suites = [...bySuite(results)];
  const lines = suites.flatMap(([suite, own]) => [
    `  <testsuite name="${escaped(suite)}" ${counts(own)}>`,
    ...own.map((result) => testCase(result, url, hasKey)),
    '  </testsuite>',
  ]);
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="tito conform" ${counts(results)}>`,
    ...lines,
    '</testsuites>',
    '',
  ].join('\n');
}

function counts(results: readonly CaseResult[]): string {
  const failures = results.filter(({ outcome }) => outcome === 'failed').length;
  const skipped = results.filter(({ outcome }) => outcome === 'unsupported' || outcome === 'left out').length;
  const time = results.reduce((sum, { seconds }) => sum + seconds, 0).toFixed(3);
  return `tests="${results.length}" failures="${failures}" errors="0" skipped="${skipped}" time="${time}"`;
}

function testCase(
  { contractCase, outcome, details, seconds }: CaseResult,
  url: string,
  hasKey: boolean,
): string {
  const { suite, name, request } = contractCase;
  const open = `    <testcase classname="${escaped(suite)}" name="${escaped(name)}" time="${seconds.toFixed(3)}"`;
  if (outcome === 'passed') return `${open}/>`;
  const why = escaped(details.join('\n'));
  const inner =
    outcome === 'failed'
      ? `<failure message="${why}">${escaped(asCurl(url, request, hasKey))}</failure>`
      : `<skipped message="${escaped(outcome)}: ${why}"/>`;
  return `${open}>${inner}</testcase>`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\n': '&#10;',
};

/** Text for an attribute or an element; characters that XML 1.0 can't hold become U+FFFD. */
function escaped(text: string): string {
  return (
    text
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what XML can't hold
      .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff\p{Surrogate}]/gu, '\ufffd')
      .replace(/[&<>"\n]/g, (character: string) => ENTITIES[character]!)
  );
}

function bySuite(results: readonly CaseResult[]): Map<string, CaseResult[]> {
  const suites = new Map<string, CaseResult[]>();
  for (const result of results) {
    const { suite } = result.contractCase;
    suites.set(suite, [...(suites.get(suite) ?? []), result]);
  }
  return suites;
}
