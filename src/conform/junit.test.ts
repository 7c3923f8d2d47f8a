import { describe, expect, it } from 'vitest';
import { junitOf } from './junit.js';
import type { CaseResult } from './run-cases.js';

const contractCase = {
  suite: 'faults',
  name: 'a < "b"',
  request: { method: 'GET', path: '/p' },
  status: 200,
};
const results: CaseResult[] = [
  { contractCase, outcome: 'passed', details: [], seconds: 0.25 },
  { contractCase, outcome: 'failed', details: ['<x>\u0001&', 'second'], seconds: 1 },
  {
    contractCase: { ...contractCase, suite: 'more' },
    outcome: 'unsupported',
    details: ['no path'],
    seconds: 0,
  },
];

describe('JUnit XML', () => {
  it('has a suite for each file of cases, its counts, and what to do about failures', () => {
    const curl = "curl -sS 'http://h/p'";
    expect(junitOf(results, 'http://h', false)).toBe(
      [
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<testsuites name="tito conform" tests="3" failures="1" errors="0" skipped="1" time="1.250">',
        '  <testsuite name="faults" tests="2" failures="1" errors="0" skipped="0" time="1.250">',
        '    <testcase classname="faults" name="a &lt; &quot;b&quot;" time="0.250"/>',
        `    <testcase classname="faults" name="a &lt; &quot;b&quot;" time="1.000"><failure message="&lt;x&gt;\ufffd&amp;&#10;second">${curl}</failure></testcase>`,
        '  </testsuite>',
        '  <testsuite name="more" tests="1" failures="0" errors="0" skipped="1" time="0.000">',
        '    <testcase classname="more" name="a &lt; &quot;b&quot;" time="0.000"><skipped message="unsupported: no path"/></testcase>',
        '  </testsuite>',
        '</testsuites>',
        '',
      ].join('\n'),
    );
  });
});
