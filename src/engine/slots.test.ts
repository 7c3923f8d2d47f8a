import { describe, expect, it } from 'vitest';
import { DEFAULT_SAMPLING_PARAMS } from './index.js';
import type { SamplerState } from './sampler.js';
import { Sequence } from './sequence.js';
import { Slots } from './slots.js';

const KEY = 'weights and salt';

function sequenceOf(tokens: number[], overrides: Partial<typeof DEFAULT_SAMPLING_PARAMS> = {}): Sequence {
  const request = {
    id: 'r',
    tokenIds: Int32Array.from(tokens),
    sampling: { ...DEFAULT_SAMPLING_PARAMS, ...overrides },
    priority: 0,
    cacheSalt: null,
    rank: null,
  };
  return new Sequence(request, 0, {} as SamplerState, 0, 4096);
}

const counting = (length: number, last = 0): number[] => [...Array.from({ length }, (_, i) => i), last];

/** Admit, compute the whole prompt, and leave. */
function runThrough(slots: Slots, sequence: Sequence, key = KEY): number {
  const { slot } = slots.admit(sequence, key)!;
  sequence.computed = sequence.length;
  slots.release(sequence);
  return slot;
}

describe('Slots', () => {
  it('gives each sequence a slot of its own until none is free', () => {
    const slots = new Slots(3, true);
    const taken = [1, 2, 3].map((token) => slots.admit(sequenceOf([token, token]), KEY)!.slot);
    expect(new Set(taken).size).toBe(3);
    expect(slots.free).toBe(0);
    expect(slots.admit(sequenceOf([9]), KEY)).toBeNull();
  });

  it('keeps the slots in use side by side', () => {
    const slots = new Slots(8, true);
    const running = [1, 2, 3].map((token) => sequenceOf([token, token]));
    for (const sequence of running) slots.admit(sequence, KEY);
    const [first, last] = Slots.span(running);
    expect(last - first).toBe(2);
    slots.release(running[1]!);
    const next = sequenceOf([4, 4]);
    slots.admit(next, KEY);
    expect(Slots.span([running[0]!, next, running[2]!])).toEqual([first, last]);
  });

  it('takes a finished prefix over in place and leaves two positions to compute', () => {
    const slots = new Slots(4, true);
    const slot = runThrough(slots, sequenceOf(counting(100)));
    const admission = slots.admit(sequenceOf(counting(100)), KEY)!;
    expect(admission).toEqual({ slot, copyFrom: null, cached: 99 });
  });

  it("copies a running sequence's prefix, and no more than it has computed", () => {
    const slots = new Slots(4, true);
    const running = sequenceOf(counting(100));
    slots.admit(running, KEY);
    running.computed = 60;
    const admission = slots.admit(sequenceOf(counting(100, 7)), KEY)!;
    expect(admission.copyFrom).toBe(running.slot);
    expect(admission.cached).toBe(60);
  });

  it('never shares between salts, and not at all when told so', () => {
    const slots = new Slots(4, true);
    runThrough(slots, sequenceOf(counting(100)), 'a');
    expect(slots.admit(sequenceOf(counting(100)), 'b')!.cached).toBe(0);
    const scored = sequenceOf(counting(100), { promptLogprobs: 1 });
    expect(slots.admit(scored, 'a')!.cached).toBe(0);
    const off = new Slots(4, false);
    runThrough(off, sequenceOf(counting(100)));
    expect(off.admit(sequenceOf(counting(100)), KEY)!.cached).toBe(0);
  });

  it('forgets cached prefixes when cleared', () => {
    const slots = new Slots(4, true);
    runThrough(slots, sequenceOf(counting(100)));
    slots.clear();
    expect(slots.admit(sequenceOf(counting(100)), KEY)!.cached).toBe(0);
  });

  it('waits for a long prefix that is being computed, not for a short one', () => {
    const slots = new Slots(4, true);
    const leader = sequenceOf(counting(100));
    slots.admit(leader, KEY);
    expect(slots.worthWaiting(sequenceOf(counting(100)), KEY)).toBe(true);
    expect(slots.worthWaiting(sequenceOf(counting(20, 5)), KEY)).toBe(false);
    leader.computed = leader.length;
    expect(slots.worthWaiting(sequenceOf(counting(100)), KEY)).toBe(false);
  });

  it('reuses the slot left longest ago first', () => {
    const slots = new Slots(2, true);
    const older = runThrough(slots, sequenceOf([1, 1, 1, 1]));
    const newer = runThrough(slots, sequenceOf([2, 2, 2, 2]));
    expect(newer).not.toBe(older);
    expect(slots.admit(sequenceOf([3, 3, 3, 3]), KEY)!.slot).toBe(older);
  });

  it('lets a gap row write only where nothing computed is lost', () => {
    const slots = new Slots(2, true);
    const slot = runThrough(slots, sequenceOf(counting(9)));
    expect(slots.writablePosition(slot, 64)).toBe(10);
    expect(slots.writablePosition(slot, 10)).toBe(9);
    expect(slots.admit(sequenceOf(counting(9)), KEY)!.cached).toBe(8);
  });
});
