import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { guessNext } from './prompt-lookup.js';

const guess = (tokens: readonly number[], most: number): number[] => [
  ...(guessNext(Int32Array.from([...tokens, 0, 0, 0]), tokens.length, most) ?? []),
];

describe('guessNext', () => {
  it.each([
    ['what followed the same two tokens', [1, 2, 3, 4, 9, 1, 2], 2, [3, 4]],
    ['the last such place', [1, 2, 3, 8, 1, 2, 4, 8, 1, 2], 1, [4]],
    ['the longest match before a nearer one', [5, 1, 2, 3, 8, 1, 2, 4, 8, 5, 1, 2], 1, [3]],
    ['a period over again', [1, 2, 3, 1, 2], 8, [3, 1, 2, 3, 1, 2, 3, 1]],
    ['a token over again', [7, 7, 7, 7], 3, [7, 7, 7]],
    ['nothing after one equal token', [1, 2, 3, 2], 4, []],
    ['nothing of a prompt of one token', [1], 4, []],
    ['nothing when nothing is wanted', [1, 2, 3, 1, 2], 0, []],
  ])('gives %s', (_, tokens, most, expected) => {
    expect(guess(tokens, most)).toEqual(expected);
  });

  it('only ever repeats what stood after an equal pair', () => {
    const tokens = fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 2, maxLength: 40 });
    fc.assert(
      fc.property(tokens, fc.integer({ min: 1, max: 6 }), (list, most) => {
        const found = guess(list, most);
        const text = list.join(' ');
        if (found.length > 0) expect(text).toContain([...list.slice(-2), found[0]].join(' '));
        expect([0, most]).toContain(found.length);
      }),
    );
  });
});
