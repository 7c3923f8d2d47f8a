/** One task under way. */
export interface ProgressBar {
  /** That many more units are done. */
  advance(amount: number): void;
  end(): void;
}

/** Where long start-up work is shown. */
export interface Progress {
  /** `total` in units; 0 when it isn't known. */
  start(label: string, total: number, unit: 'layers' | 'bytes' | 'windows'): ProgressBar;
  /** A line that stays. */
  note(line: string): void;
}

/** Shows nothing. */
export const silentProgress: Progress = {
  start: () => ({ advance() {}, end() {} }),
  note() {},
};
