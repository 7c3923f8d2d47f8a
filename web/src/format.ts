/** A text in quotes with what can't be seen written out. */
export function quoted(text: string): string {
  return JSON.stringify(text);
}

/** The share of a logprob, such as `87 %`. */
export function percent(logprob: number): string {
  const share = Math.exp(logprob) * 100;
  if (share >= 99.95) return '100 %';
  return share >= 10 ? `${share.toFixed(1)} %` : share >= 0.01 ? `${share.toFixed(2)} %` : '< 0.01 %';
}

export function milliseconds(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(2)} s`;
}

/** What a token shows of itself: line breaks and tabs as signs, and a dot for a piece of a character. */
export function visible(text: string): string {
  if (text === '') return '·';
  return text.replaceAll('\n', '↵').replaceAll('\t', '⇥').replaceAll('\r', '␍');
}

/** The line breaks that a text ends with. */
export function breaksAfter(text: string): string {
  return /\n*$/.exec(text)![0];
}
