/** JSON of a text. Surrogates stay as they are, so that a text may be cut between two of them. */
export function jsonText(text: string): string {
  return `"${escaped(text)}"`;
}

/** A text as it stands between the quotes of JSON. */
export function escaped(text: string): string {
  return text.replace(/["\\]|\p{Cc}/gu, (character) => JSON.stringify(character).slice(1, -1));
}
