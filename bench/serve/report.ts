import type { Contender } from './contender.js';
import type { Figures } from './figures.js';
import type { Scenario } from './scenarios.js';

/** What one contender reached in one scenario. */
export interface Result {
  contender: Pick<Contender, 'name' | 'precision'>;
  scenario: Pick<Scenario, 'name' | 'of' | 'promptTokens'>;
  /** Medians of the rounds; null where the contender can't do it. */
  figures: Figures | null;
}

export interface Report {
  machine: string;
  date: string;
  settings: Readonly<Record<string, string | number>>;
  results: readonly Result[];
  /** By contender; null where it can't be told. */
  peakMebibytes: ReadonlyArray<{ name: string; mebibytes: number | null }>;
}

/** The name of a contender in tables. */
export const labelOf = ({ name, precision }: Result['contender']): string => `${name} ${precision}`;

/** A report as Markdown: one table a scenario. */
export function markdownOf(report: Report): string {
  const settings = Object.entries(report.settings)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ');
  const scenarios = [...new Map(report.results.map(({ scenario }) => [scenario.name, scenario])).values()];
  const parts = scenarios.map((scenario) => {
    const results = report.results.filter((result) => result.scenario.name === scenario.name);
    return scenario.of === 'output' ? outputTable(scenario.name, results) : promptTable(scenario, results);
  });
  const memory = table(
    ['server', 'peak memory, MiB'],
    report.peakMebibytes.map(({ name, mebibytes }) => [name, mebibytes?.toFixed(0) ?? '-']),
  );
  return [`${report.machine}, ${report.date}: ${settings}.`, ...parts, `## Memory\n\n${memory}`].join('\n\n');
}

function outputTable(name: string, results: readonly Result[]): string {
  const head = [
    ...['server', 'output tokens/s', 'first token p50 / p95, ms'],
    ...['between chunks p50 / p95, ms', 'CPU s for 1,000 tokens'],
  ];
  const rows = results.map(({ contender, figures }) => [
    labelOf(contender),
    ...(figures
      ? [
          figures.tokensPerSecond.toFixed(0),
          `${figures.firstTokenMedian.toFixed(0)} / ${figures.firstToken95.toFixed(0)}`,
          `${figures.gapMedian.toFixed(1)} / ${figures.gap95.toFixed(1)}`,
          figures.cpuSeconds?.toFixed(1) ?? '-',
        ]
      : ['-', '-', '-', '-']),
  ]);
  return `## ${name}\n\n${table(head, rows)}`;
}

function promptTable({ name, promptTokens }: Result['scenario'], results: readonly Result[]): string {
  const rows = results.map(({ contender, figures }) => [
    labelOf(contender),
    figures ? figures.firstTokenMedian.toFixed(0) : '-',
    figures ? ((promptTokens * 1000) / figures.firstTokenMedian).toFixed(0) : '-',
  ]);
  return `## ${name}\n\n${table(['server', 'first token, ms', 'prompt tokens/s'], rows)}`;
}

function table(head: readonly string[], rows: ReadonlyArray<readonly string[]>): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
