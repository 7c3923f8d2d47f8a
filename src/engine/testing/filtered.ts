import type { Filters } from '../distribution.js';
import { softmax } from './score-row.js';

/**
 * The distribution that filtering should leave, the way the reference puts it: below min-p of the best out; below
 * the k-th largest out; then, least likely first, out while the probabilities so far add up to no more than
 * 1 - top-p; the best always stays. Of equals the lowest ids stay.
 */
export function filteredProbabilities(
  logits: ArrayLike<number>,
  temperature: number,
  { minP, topK, topP }: Filters,
): number[] {
  const values = Array.from(logits);
  const rule = (isOut: (index: number) => boolean): void => {
    values.forEach((_, id) => {
      if (isOut(id)) values[id] = Number.NEGATIVE_INFINITY;
    });
  };
  const before = softmax(values, temperature);
  const best = Math.max(...before);
  if (minP > 0) rule((id) => Math.fround(before[id]!) < Math.fround(best * minP));
  if (topK > 0 && topK < values.length) {
    const least = [...values].sort((a, b) => b - a)[topK - 1]!;
    rule((id) => values[id]! < least);
  }
  if (topP < 1) {
    const probabilities = softmax(values, temperature);
    const ascending = [...values.keys()].sort((a, b) => values[a]! - values[b]! || b - a);
    const winner = ascending.pop()!;
    let sum = 0;
    const out = new Set(
      ascending.filter((id) => {
        sum += probabilities[id]!;
        return sum <= 1 - topP + 1e-9;
      }),
    );
    rule((id) => id !== winner && out.has(id));
  }
  return softmax(values, temperature);
}
