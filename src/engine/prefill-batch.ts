import type { PrefillChunk } from './scheduler.js';

/** A batch is as wide as its longest row; beyond this share of useful positions, filling up costs more than it saves. */
const LEAST_USEFUL = 0.75;

/**
 * Take the first chunk, and those of other prompts that may run with it as rows of one batch: beginnings of prompts (the
 * attention kernel takes no other rows of several positions), in slots side by side, of about one length.
 * `positions`: the most that a batch may compute, padding included. Returns the batch in order of slots, and the rest.
 */
export function nextBatch(
  chunks: readonly PrefillChunk[],
  positions: number,
): [batch: PrefillChunk[], rest: PrefillChunk[]] {
  const [first, ...others] = chunks;
  if (!first) return [[], []];
  const batch = [first];
  const bySlot = new Map(others.filter(isBeginning).map((chunk) => [slotOf(chunk), chunk]));
  const extend = (slot: number): boolean => {
    const neighbour = bySlot.get(slot);
    if (!neighbour || !isWorthwhile([...batch, neighbour], positions)) return false;
    batch.push(neighbour);
    return true;
  };
  if (isBeginning(first)) {
    let [below, above] = [slotOf(first) - 1, slotOf(first) + 1];
    while (extend(above)) above++;
    while (extend(below)) below--;
  }
  batch.sort((a, b) => slotOf(a) - slotOf(b));
  return [batch, others.filter((chunk) => !batch.includes(chunk))];
}

const slotOf = ({ sequence }: PrefillChunk): number => sequence.slot!;

/** Scores of a prompt want many rows of logits: it runs alone, in short chunks. */
const isBeginning = ({ sequence }: PrefillChunk): boolean =>
  sequence.computed === 0 && !sequence.scoresPrompt;

function isWorthwhile(batch: readonly PrefillChunk[], positions: number): boolean {
  const counts = batch.map(({ count }) => count);
  const padded = counts.length * Math.max(...counts);
  return padded <= positions && counts.reduce((sum, count) => sum + count, 0) >= LEAST_USEFUL * padded;
}
