import type { Progress } from '../progress.js';

export interface RecordedBar {
  label: string;
  total: number;
  done: number;
  ended: boolean;
}

/** For tests: keeps what a Progress is told. */
export function progressRecorder(): { progress: Progress; notes: string[]; bars: RecordedBar[] } {
  const notes: string[] = [];
  const bars: RecordedBar[] = [];
  const start: Progress['start'] = (label, total) => {
    const bar: RecordedBar = { label, total, done: 0, ended: false };
    bars.push(bar);
    return {
      advance(amount) {
        bar.done += amount;
      },
      end() {
        bar.ended = true;
      },
    };
  };
  return { progress: { start, note: (line) => void notes.push(line) }, notes, bars };
}
