import type { RepetitionDetection } from './index.js';

/** Whether the output ends in some pattern `minCount` times over; shorter patterns are tried first. */
export function isRepeating(output: readonly number[], detection: RepetitionDetection): boolean {
  const { maxPatternSize, minCount } = detection;
  if (minCount < 2) return false;
  for (let size = Math.max(detection.minPatternSize, 1); size <= maxPatternSize; size++) {
    if (size * minCount > output.length) return false;
    if (endsInRepeats(output, size, minCount)) return true;
  }
  return false;
}

function endsInRepeats(output: readonly number[], size: number, count: number): boolean {
  const compared = size * (count - 1);
  for (let back = 1; back <= compared; back++) {
    if (output[output.length - back] !== output[output.length - back - size]) return false;
  }
  return true;
}
