import type { Tokenizer } from './tokenizer.js';
import { concatBytes, decodeLossy, REPLACEMENT } from './utf8.js';

/** Enough preceding ids for any character. */
export const CONTEXT_IDS = 4;

/**
 * The text of an id as a logprob entry shows it, given the ids sampled before it (oldest first; more than
 * CONTEXT_IDS are of no use). A piece of a character is empty; the id that completes a character carries all of it.
 * Candidates at one position depend on the same context and on their own id alone. A space in front of a word stays,
 * special tokens show their names, ids outside the vocabulary are empty.
 */
export function tokenString(tokenizer: Tokenizer, id: number, context: readonly number[]): string {
  const alone = decodeLossy(tokenizer.bytes(id));
  if (!alone.endsWith(REPLACEMENT)) return alone;
  const known = context.slice(-CONTEXT_IDS);
  for (let count = 1; count <= known.length; count++) {
    const recent = known.slice(-count);
    const whole = textOf(tokenizer, [...recent, id]);
    if (!whole.endsWith(REPLACEMENT)) return withoutPrefix(whole, soundPrefix(tokenizer, recent));
  }
  return '';
}

/** What stands for an id when token texts are not wanted (`--return-tokens-as-token-ids`). */
export function tokenIdPlaceholder(id: number): string {
  return `token_id:${id}`;
}

/** Text of the context up to the pieces that the completed character was made of. */
function soundPrefix(tokenizer: Tokenizer, context: readonly number[]): string {
  let end = context.length;
  while (end > 0 && textOf(tokenizer, [context[end - 1]!]).endsWith(REPLACEMENT)) end--;
  return textOf(tokenizer, context.slice(0, end));
}

/** A prefix that the completed character changed counts as far as it is the same. */
function withoutPrefix(whole: string, prefix: string): string {
  let common = 0;
  while (common < prefix.length && whole[common] === prefix[common]) common++;
  return whole.slice(common);
}

function textOf(tokenizer: Tokenizer, ids: readonly number[]): string {
  return decodeLossy(concatBytes(ids.map((id) => tokenizer.bytes(id))));
}
