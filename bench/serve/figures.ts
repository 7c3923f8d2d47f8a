import { median, quantile } from '../quantile.js';
import type { StreamTimes } from './stream.js';

/** What a run says. Times in milliseconds. */
export interface Figures {
  /** Output tokens of all streams over the time from the first request to the last token, prefill included. */
  tokensPerSecond: number;
  firstTokenMedian: number;
  firstToken95: number;
  gapMedian: number;
  gap95: number;
  /** CPU seconds of the server's processes for 1,000 output tokens; null where they can't be told. */
  cpuSeconds: number | null;
}

/** Summarize the streams of one run, during which the server took `cpuSeconds`. */
export function figuresOf(streams: readonly StreamTimes[], cpuSeconds: number | null): Figures {
  const tokens = streams.reduce((sum, { outputTokens }) => sum + outputTokens, 0);
  const started = Math.min(...streams.map(({ sentAt }) => sentAt));
  const ended = Math.max(...streams.map(({ arrivals }) => arrivals.at(-1)!.at));
  const firstTokens = streams.map(({ sentAt, arrivals }) => arrivals[0]!.at - sentAt);
  const gaps = streams.flatMap(({ arrivals }) => arrivals.slice(1).map(({ at }, i) => at - arrivals[i]!.at));
  return {
    tokensPerSecond: (tokens * 1000) / (ended - started),
    firstTokenMedian: median(firstTokens),
    firstToken95: quantile(firstTokens, 0.95),
    gapMedian: median(gaps),
    gap95: quantile(gaps, 0.95),
    cpuSeconds: cpuSeconds === null ? null : (cpuSeconds * 1000) / tokens,
  };
}

/** The median of several runs, figure by figure. */
export function medianFigures(runs: readonly Figures[]): Figures {
  const of = (pick: (run: Figures) => number): number => median(runs.map(pick));
  const cpu = runs.map(({ cpuSeconds }) => cpuSeconds).filter((value) => value !== null);
  return {
    tokensPerSecond: of((run) => run.tokensPerSecond),
    firstTokenMedian: of((run) => run.firstTokenMedian),
    firstToken95: of((run) => run.firstToken95),
    gapMedian: of((run) => run.gapMedian),
    gap95: of((run) => run.gap95),
    cpuSeconds: cpu.length > 0 ? median(cpu) : null,
  };
}
