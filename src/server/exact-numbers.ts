import type { Request } from 'express';
import { isLosslessNumber, LosslessNumber, parse } from 'lossless-json';

/** Fields whose numbers may end up in a text, or need all of their digits. Others are read as doubles. */
const EXACT_FIELDS = ['messages', 'tools', 'chat_template_kwargs', 'input', 'seed'];

/** What may be a number that a double would write in another way: `1.0`, `1e3`, or more digits than it holds. */
const ODD_NUMBER = /[[:,]\s*-?(?:\d+[.eE]|\d{16})/;

/**
 * The body with numbers of free-form fields as lossless-json's where a double would print otherwise (`1.0`, large
 * integers). Costs nothing for bodies without such numbers.
 */
export function bodyWithExactNumbers<Body extends object>(request: Request, body: Body): Body {
  const text = request.rawText ?? '';
  if (!ODD_NUMBER.test(text)) return body;
  const exact = parsed(text);
  const fields = EXACT_FIELDS.filter((name) => name in exact && name in body);
  return { ...body, ...Object.fromEntries(fields.map((name) => [name, exact[name]])) };
}

/** An integer of the body digit for digit, where a double would round it; null when there is none at the path. */
export function exactInteger(request: Request, path: readonly string[]): bigint | null {
  const text = request.rawText ?? '';
  if (!/\d{16}/.test(text)) return null;
  let value: unknown = parsed(text);
  for (const key of path) value = (value as Record<string, unknown> | null | undefined)?.[key];
  if (!isLosslessNumber(value) || !/^-?\d+$/.test(value.value)) return null;
  return BigInt(value.value);
}

function parsed(text: string): Record<string, unknown> {
  try {
    return parse(text, null, (digits) =>
      String(Number(digits)) === digits ? Number(digits) : new LosslessNumber(digits),
    ) as Record<string, unknown>;
  } catch {
    // A key that is there twice: JSON.parse takes the last.
    return {};
  }
}
