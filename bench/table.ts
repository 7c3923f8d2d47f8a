/** Print a Markdown table. */
export function printTable(head: readonly string[], rows: ReadonlyArray<readonly unknown[]>): void {
  const line = (cells: readonly unknown[]): string => `| ${cells.join(' | ')} |\n`;
  process.stdout.write(line(head) + line(head.map(() => '---')) + rows.map(line).join(''));
}

/** A median and, where there are several values, their range: `1.20 (1.10-1.31)`. */
export function withSpread(values: readonly number[], digits: number): string {
  const sorted = [...values].sort((a, b) => a - b);
  const [middle, low, high] = [sorted[Math.floor(sorted.length / 2)]!, sorted[0]!, sorted.at(-1)!].map(
    (value) => value.toFixed(digits),
  );
  return values.length > 1 ? `${middle} (${low}-${high})` : middle!;
}
