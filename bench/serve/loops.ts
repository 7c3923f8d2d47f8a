import type { StreamTimes } from './stream.js';

/** Ask for the next stream. */
export type Ask = () => Promise<StreamTimes>;

/** Closed loop: `concurrency` callers, each of whom sends its next request when the last has ended. */
export async function closedLoop(ask: Ask, concurrency: number, requests: number): Promise<StreamTimes[]> {
  const done: StreamTimes[] = [];
  let left = requests;
  const caller = async (): Promise<void> => {
    while (left > 0) {
      left--;
      done.push(await ask());
    }
  };
  await Promise.all(Array.from({ length: concurrency }, caller));
  return done;
}

/** Open loop: a request every 1 / `rate` seconds, whatever became of those before. */
export async function openLoop(ask: Ask, rate: number, requests: number): Promise<StreamTimes[]> {
  const started = performance.now();
  const asked: Array<Promise<StreamTimes>> = [];
  for (let i = 0; i < requests; i++) {
    const wait = started + (i * 1000) / rate - performance.now();
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
    asked.push(ask());
  }
  return Promise.all(asked);
}
