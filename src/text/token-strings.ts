import type { Tokenizer } from './tokenizer.js';
import { concatBytes, decodeLossy, REPLACEMENT } from './utf8.js';

/** Enough preceding ids for any character. */
export const CONTEXT_IDS = 4;

/**
 * The text of an id as a logprob entry shows it, given the ids sampled before it (most recent last). A piece of a
 * character is empty; the id that completes a character carries all of it. Candidates at one position depend on
 * the same context and on their own id alone.
 */
export function tokenString(tokenizer: Tokenizer, id: number, context: readonly number[]): string {
  const alone = decodeLossy(tokenizer.bytes(id));
  if (!alone.endsWith(REPLACEMENT)) return alone;
  for (let count = 1; count <= Math.min(context.length, CONTEXT_IDS); count++) {
    const recent = context.slice(-count);
    const whole = decodeIds(tokenizer, [...recent, id]);
    if (!whole.endsWith(REPLACEMENT)) return withoutPrefix(whole, cleanPrefix(tokenizer, recent));
  }
  return '';
}

/** Text of the context up to the pieces that the completed character was made of. */
function cleanPrefix(tokenizer: Tokenizer, context: readonly number[]): string {
  let end = context.length;
  while (end > 0 && decodeIds(tokenizer, [context[end - 1]!]).endsWith(REPLACEMENT)) end--;
  return decodeIds(tokenizer, context.slice(0, end));
}

function withoutPrefix(whole: string, prefix: string): string {
  let common = 0;
  while (common < prefix.length && whole[common] === prefix[common]) common++;
  return whole.slice(common);
}

function decodeIds(tokenizer: Tokenizer, ids: readonly number[]): string {
  return decodeLossy(concatBytes(ids.map((id) => tokenizer.bytes(id))));
}
