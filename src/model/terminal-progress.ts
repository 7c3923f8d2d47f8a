import { SingleBar } from 'cli-progress';
import type { Progress, ProgressBar } from './progress.js';

type Output = NodeJS.WritableStream & { isTTY?: boolean };

const FORMAT = '{label} {bar} {percentage}% | {done} of {size} {unit} | {duration_formatted}';

/** Bars on a terminal; elsewhere one line when a task starts. Everything goes to `output`, stderr by default. */
export function terminalProgress(output: Output = process.stderr): Progress {
  const note = (line: string): void => {
    output.write(`${line}\n`);
  };
  return {
    note,
    start: (label, total, unit) =>
      output.isTTY ? startBar(output, label, total, unit) : plainTask(note, label),
  };
}

function plainTask(note: (line: string) => void, label: string): ProgressBar {
  note(`${label} …`);
  return { advance() {}, end() {} };
}

function startBar(
  output: Output,
  label: string,
  total: number,
  unit: 'layers' | 'bytes' | 'windows',
): ProgressBar {
  const [scale, digits, name] = unit === 'bytes' ? [1e6, 1, 'MB'] : [1, 0, 'layers'];
  const shown = (amount: number): string => (amount / scale).toFixed(digits);
  const bar = new SingleBar({ stream: output, format: FORMAT, hideCursor: true, clearOnComplete: false });
  let done = 0;
  bar.start(total, 0, { label, done: shown(0), size: shown(total), unit: name });
  return {
    advance(amount) {
      done += amount;
      bar.update(done, { done: shown(done) });
    },
    end: () => bar.stop(),
  };
}
