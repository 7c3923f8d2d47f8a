/** Length of the longest end of `text` that may be the beginning of `marker`. */
export function overlap(text: string, marker: string): number {
  for (let length = Math.min(text.length, marker.length - 1); length > 0; length--) {
    if (text.endsWith(marker.slice(0, length))) return length;
  }
  return 0;
}

/** The first of several markers in a text. */
export function firstMarker(
  text: string,
  markers: readonly string[],
): { marker: string; at: number; end: number } | null {
  let first: { marker: string; at: number; end: number } | null = null;
  for (const marker of markers) {
    const at = text.indexOf(marker);
    if (at >= 0 && (first === null || at < first.at)) first = { marker, at, end: at + marker.length };
  }
  return first;
}

/** How much of a text's end has to wait, since it may be the beginning of a marker. */
export function undecided(text: string, markers: readonly string[]): number {
  return Math.max(0, ...markers.map((marker) => overlap(text, marker)));
}
