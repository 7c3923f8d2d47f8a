/** Length of the longest end of `text` that may be the beginning of `marker`. */
export function overlap(text: string, marker: string): number {
  for (let length = Math.min(text.length, marker.length - 1); length > 0; length--) {
    if (text.endsWith(marker.slice(0, length))) return length;
  }
  return 0;
}

/** The first of several markers in a text; of two at one place, the one that is named first. */
export function firstMarker(
  text: string,
  markers: readonly string[],
): { marker: string; at: number; end: number } | null {
  const found = markers.length > 0 ? patternOf(markers).exec(text) : null;
  return found && { marker: found[0], at: found.index, end: found.index + found[0].length };
}

const PATTERNS = new Map<string, RegExp>();

/** One search for all of them, so that its cost ends where the first is. */
function patternOf(markers: readonly string[]): RegExp {
  const key = markers.join('\0');
  const known = PATTERNS.get(key);
  if (known) return known;
  const pattern = new RegExp(markers.map(escaped).join('|'));
  PATTERNS.set(key, pattern);
  return pattern;
}

function escaped(marker: string): string {
  return marker.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}

/** How much of a text's end has to wait, since it may be the beginning of a marker. */
export function undecided(text: string, markers: readonly string[]): number {
  return Math.max(0, ...markers.map((marker) => overlap(text, marker)));
}
