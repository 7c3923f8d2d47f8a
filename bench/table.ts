import { median } from './quantile.js';

/** Print a Markdown table. */
export function printTable(head: readonly string[], rows: ReadonlyArray<readonly unknown[]>): void {
  const line = (cells: readonly unknown[]): string => `| ${cells.join(' | ')} |\n`;
  process.stdout.write(line(head) + line(head.map(() => '---')) + rows.map(line).join(''));
}

/** A median and, where there are several values, their range: `1.20 (1.10-1.31)`. */
export function withSpread(values: readonly number[], digits: number): string {
  const [middle, low, high] = [median(values), Math.min(...values), Math.max(...values)].map((value) =>
    value.toFixed(digits),
  );
  return values.length > 1 ? `${middle} (${low}-${high})` : middle!;
}
