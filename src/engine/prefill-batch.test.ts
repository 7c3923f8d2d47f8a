import { describe, expect, it } from 'vitest';
import { nextBatch } from './prefill-batch.js';
import type { PrefillChunk } from './scheduler.js';
import type { Sequence } from './sequence.js';

const chunk = (
  slot: number,
  count: number,
  { computed = 0, scoresPrompt = false }: Partial<Pick<Sequence, 'computed' | 'scoresPrompt'>> = {},
): PrefillChunk => ({ sequence: { slot, computed, scoresPrompt } as Sequence, count });

describe('nextBatch', () => {
  it('takes beginnings of prompts in neighbouring slots, in order of slots', () => {
    const [a, b, c, far] = [chunk(4, 60), chunk(3, 64), chunk(5, 58), chunk(7, 60)];
    expect(nextBatch([a, b, c, far], 256)).toEqual([[b, a, c], [far]]);
  });

  it('stays within the positions, padding included', () => {
    const chunks = [chunk(0, 60), chunk(1, 64), chunk(2, 60)];
    expect(nextBatch(chunks, 191)[0]).toHaveLength(2);
    expect(nextBatch(chunks, 192)[0]).toHaveLength(3);
  });

  it.each([
    ['a row far shorter than the others', chunk(1, 10)],
    ['a chunk further on in its prompt', chunk(1, 60, { computed: 60 })],
    ['a prompt whose positions are scored', chunk(1, 60, { scoresPrompt: true })],
  ])('leaves out %s', (_, other) => {
    expect(nextBatch([chunk(0, 60), other], 256)).toEqual([[chunk(0, 60)], [other]]);
    expect(nextBatch([other, chunk(0, 60)], 256)).toEqual([[other], [chunk(0, 60)]]);
  });

  it('has nothing to take from nothing', () => {
    expect(nextBatch([], 256)).toEqual([[], []]);
  });
});
