import type { Sequence } from './sequence.js';

/** Positions `[computed, computed + count)` of a sequence, computed as one chunk. */
export interface PrefillChunk {
  sequence: Sequence;
  count: number;
}

export interface StepPlan {
  /** Sequences that lack one position: one batch of rows. */
  decode: Sequence[];
  prefill: PrefillChunk[];
}

/**
 * A chunk is never one token long unless nothing else is left: a position computed alone takes another kernel
 * than the same position inside a chunk, so results would depend on where the chunk borders fell.
 */
const MIN_CHUNK = 2;

/** Prefill goes on even when decoding uses the whole budget. */
const RESERVED_PREFILL = 16;

/**
 * Decide what one step computes: every decode row, then prefill chunks, in the order given, in what is left of
 * the token budget. Pure; `running` is in scheduling order.
 */
export function planStep(running: readonly Sequence[], tokenBudget: number): StepPlan {
  const decode = running.filter((sequence) => sequence.pending === 1);
  const prefill: PrefillChunk[] = [];
  let budget = Math.max(tokenBudget - decode.length, RESERVED_PREFILL);
  for (const sequence of running) {
    if (sequence.pending <= 1) continue;
    const count = chunkLength(sequence.pending, budget);
    if (count === 0) break;
    prefill.push({ sequence, count });
    budget -= count;
  }
  return { decode, prefill };
}

/** Positions of the next chunk: at most `budget`, none left alone; 0 when the budget is too small for a chunk. */
export function chunkLength(pending: number, budget: number): number {
  const count = Math.min(pending, budget);
  const leavesOneAlone = pending - count === 1;
  const length = leavesOneAlone ? count - 1 : count;
  return length < MIN_CHUNK ? 0 : length;
}
