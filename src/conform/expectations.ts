import { isDeepStrictEqual } from 'node:util';
import type { Expectation } from './cases.js';
import type { Answer } from './exchange.js';

/** What an answer lacks of what a case expects; empty when nothing. */
export function unmet(expectations: readonly Expectation[], answer: Answer): string[] {
  const root = answer.events ? { events: answer.events } : answer.json;
  return expectations.flatMap((expectation) => {
    const value = at(root, expectation.path);
    return failures(expectation, value, root).map(
      (what) => `${expectation.path} ${what}, got ${JSON.stringify(value)}`,
    );
  });
}

function failures(expectation: Expectation, value: unknown, root: unknown): string[] {
  const { equals, equalsPath, length, lengthOfPath, matches, absent } = expectation;
  const list = Array.isArray(value) ? value : [];
  const wrong: string[] = [];
  if ('equals' in expectation && !isDeepStrictEqual(value, equals))
    wrong.push(`must be ${JSON.stringify(equals)}`);
  if (equalsPath !== undefined && !isDeepStrictEqual(value, at(root, equalsPath)))
    wrong.push(`must be ${equalsPath}`);
  if (length !== undefined && list.length !== length) wrong.push(`must have ${length} entries`);
  if (lengthOfPath !== undefined && value !== (at(root, lengthOfPath) as unknown[] | undefined)?.length) {
    wrong.push(`must be the length of ${lengthOfPath}`);
  }
  if (matches !== undefined && !new RegExp(matches).test(String(value))) wrong.push(`must match ${matches}`);
  if (absent && value !== undefined && value !== null) wrong.push('must be absent');
  return wrong;
}

/** The value at a path such as `choices[0].token_ids`; negative indices count from the end. */
function at(root: unknown, path: string): unknown {
  let value = root;
  for (const [, key, index] of path.matchAll(/([A-Za-z_]\w*)|\[(-?\d+)\]/g)) {
    if (key !== undefined) value = (value as Record<string, unknown> | null | undefined)?.[key];
    else value = Array.isArray(value) ? value.at(Number(index)) : undefined;
  }
  return value;
}
