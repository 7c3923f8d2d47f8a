import { labelOf, type Report, type Result } from './report.js';

const LABELS = 190;
const BARS = 460;
const BAR = 18;
const GAP = 6;

/** Output tokens a second of each scenario as bars: an SVG picture that needs no colour scheme. */
export function plotOf({ results }: Report): string {
  const shown = results.filter(({ scenario, figures }) => scenario.of === 'output' && figures);
  const names = [...new Set(shown.map(({ scenario }) => scenario.name))];
  const parts: string[] = [];
  let y = 10;
  for (const name of names) {
    const group = shown.filter(({ scenario }) => scenario.name === name);
    parts.push(text(0, y + 14, `${name}: output tokens a second`, 'font-weight="600"'));
    y += 26;
    const most = Math.max(...group.map((result) => rateOf(result)));
    for (const result of group) {
      parts.push(bar(result, y, most));
      y += BAR + GAP;
    }
    y += 14;
  }
  const width = LABELS + BARS + 60;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${y}" width="${width}" font-family="system-ui, sans-serif" font-size="13">`,
    `<rect width="${width}" height="${y}" fill="#fff"/>`,
    ...parts,
    '</svg>\n',
  ].join('\n');
}

const rateOf = ({ figures }: Result): number => figures?.tokensPerSecond ?? 0;

function bar(result: Result, y: number, most: number): string {
  const { contender } = result;
  const width = Math.max(1, (rateOf(result) / most) * BARS);
  const fill = contender.name === 'tito' ? '#2563eb' : '#9ca3af';
  return [
    text(LABELS - 8, y + 13, labelOf(contender), 'text-anchor="end"'),
    `<rect x="${LABELS}" y="${y}" width="${width.toFixed(1)}" height="${BAR}" fill="${fill}"/>`,
    text(LABELS + width + 6, y + 13, rateOf(result).toFixed(0), ''),
  ].join('\n');
}

function text(x: number, y: number, words: string, attributes: string): string {
  const escaped = words.replace(/&/g, '&amp;').replace(/</g, '&lt;');
  return `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" fill="#111" ${attributes}>${escaped}</text>`;
}
