import { describe, expect, it } from 'vitest';
import type { ChatMessage } from '../src/index.js';
import { closingOf, continuationOf, withoutOverlap } from '../src/turn-tokens.js';

const idsOf = (text: string): number[] => [...text].map((character) => character.codePointAt(0)!);

describe('the end of a turn', () => {
  it.each([
    ['was written by the model', [7, 2], [2, 9], [9]],
    ['was not written', [7, 8], [2, 9], [2, 9]],
    ['was written in full', [7, 2, 9], [2, 9], []],
    ['is empty', [7], [], []],
    ['follows nothing', [], [2, 9], [2, 9]],
  ])('that %s is completed', (_, ids, closing, rest) => {
    expect(withoutOverlap(ids, closing)).toEqual(rest);
  });

  it('is what the template puts after an answer', async () => {
    const template = async (
      _: readonly ChatMessage[],
      { continue_final_message }: object & { continue_final_message?: boolean },
    ) => idsOf(continue_final_message ? 'ab' : 'ab</s>\n');
    expect(await closingOf(template)).toEqual(idsOf('</s>\n'));
  });
});

describe('a continuation', () => {
  it('is refused where the template changes earlier turns', async () => {
    const template = async (messages: readonly ChatMessage[]) => idsOf(`${messages.length} turns`);
    const asked = continuationOf(template, { role: 'assistant' }, [{ role: 'user', content: 'b' }]);
    await expect(asked).rejects.toThrow('changes earlier turns');
  });
});
