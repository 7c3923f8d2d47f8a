/** White space as Python's `str.strip` knows it, which is not quite JavaScript's. */
const SPACE = '[\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]';
const IS_SPACE = new RegExp(SPACE);
const LEADING = new RegExp(`^${SPACE}+`);

/** A text without the white space around it. */
export function strip(text: string): string {
  return stripEnd(text).replace(LEADING, '');
}

/** A text without the white space at its end. One step a character of that white space. */
export function stripEnd(text: string): string {
  let end = text.length;
  while (end > 0 && IS_SPACE.test(text[end - 1]!)) end--;
  return text.slice(0, end);
}
