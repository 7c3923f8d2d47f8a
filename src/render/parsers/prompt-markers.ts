/** Which of several markers comes last in a text; null when none does. */
export function lastOf(text: string, markers: readonly string[]): string | null {
  let last: string | null = null;
  let place = -1;
  for (const marker of markers) {
    const at = text.lastIndexOf(marker);
    if (at > place) [last, place] = [marker, at];
  }
  return last;
}
