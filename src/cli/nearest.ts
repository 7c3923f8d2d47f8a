/** The candidate that takes the fewest edits to become, if these are few for a text this long; else null. */
export function nearest(text: string, candidates: readonly string[]): string | null {
  const scored = candidates.map((candidate) => ({ candidate, edits: editsBetween(text, candidate) }));
  const [best] = scored.sort((one, other) => one.edits - other.edits);
  return best && best.edits <= Math.ceil(text.length * 0.4) ? best.candidate : null;
}

/** Levenshtein distance: insertions, deletions and substitutions. */
function editsBetween(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (const [index, letter] of [...from].entries()) {
    const next = [index + 1];
    for (let column = 1; column <= to.length; column++) {
      const substituted = row[column - 1]! + (to[column - 1] === letter ? 0 : 1);
      next.push(Math.min(substituted, row[column]! + 1, next[column - 1]! + 1));
    }
    row = next;
  }
  return row.at(-1)!;
}
