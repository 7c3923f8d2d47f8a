import { describe, expect, it } from 'vitest';
import { Report } from './report.js';
import type { CaseResult, Outcome } from './run-cases.js';

function result(outcome: Outcome, name: string, details: string[] = [], suite = 'generate'): CaseResult {
  const request = { method: 'POST', path: '/p', body: { a: "it's" } };
  return { contractCase: { suite, name, request, status: 200 }, outcome, details, seconds: 0.5 };
}
const results = [
  result('passed', 'one'),
  result('failed', 'two', ['id must be 1', 'x is missing']),
  result('unsupported', 'three', ['no such path'], 'other'),
  result('left out', 'four', ['asked for'], 'other'),
  result('left out', 'five', ['asked for'], 'other'),
];

describe('the report', () => {
  it('says of each case what came of it, and of failures why and how to ask again', () => {
    const report = new Report('http://h', true, false);
    expect(results.map((one) => report.lines(one)).join('') + report.summary(results)).toBe(
      [
        'generate',
        '  ✓ passed      one',
        '  ✗ failed      two',
        '      id must be 1',
        '      x is missing',
        `      curl -sS -X POST 'http://h/p' -H "Authorization: Bearer $TITO_API_KEY" -H 'content-type: application/json' --data-raw '{"a":"it'\\''s"}'`,
        '',
        'other',
        '  – unsupported three: no such path',
        '',
        '2 left out: asked for',
        '1 passed, 1 failed, 1 unsupported, 2 left out',
        '',
      ].join('\n'),
    );
  });

  it('is coloured when asked', () => {
    const report = new Report('http://h', false, true);
    expect(report.lines(results[0]!)).toContain('\u001b[32m✓ passed');
    expect(report.summary(results)).toContain('\u001b[31m1 passed');
  });
});
