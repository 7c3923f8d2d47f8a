import type { EngineStats } from './index.js';

export const NO_STATS: EngineStats = {
  running: 0,
  waiting: 0,
  kvUsage: 0,
  promptTokens: 0,
  generationTokens: 0,
  prefixQueries: 0,
  prefixHits: 0,
  preemptions: 0,
  drafts: 0,
  draftTokens: 0,
  acceptedTokens: 0,
};

/** Counts of several ranks together; `kvUsage` is their mean. */
export function sumStats(all: readonly EngineStats[]): EngineStats {
  const sum = { ...NO_STATS };
  for (const stats of all) {
    for (const key of Object.keys(sum) as Array<keyof EngineStats>) sum[key] += stats[key];
  }
  sum.kvUsage /= Math.max(all.length, 1);
  return sum;
}
