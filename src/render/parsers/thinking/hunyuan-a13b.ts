import type { ReasoningParser, ReasoningPiece } from '../parser.js';
import { phasedReasoning } from './phases.js';

const OPEN = '<think>\n';
const ANSWER = '\n</think>\n<answer>\n';
const END = '\n</answer>';

const streamed = phasedReasoning({
  phases: {
    start: { opensWith: OPEN, skipsSpace: false, opened: 'reasoning', unopened: 'answer' },
    reasoning: { is: 'reasoning', ends: { [ANSWER]: 'answer' } },
    answer: { is: 'rest', ends: { [END]: 'end' } },
    end: { is: null },
  },
  start: () => 'start',
  needsSpecialTokens: false,
});

/**
 * Hunyuan A13B: `<think>` and `<answer>` blocks, on lines of their own; the former may be missing. In a whole output,
 * reasoning that never ends is none.
 */
export const hunyuanA13b = {
  ...streamed,
  whole(text) {
    const open = text.indexOf(OPEN);
    const answer = open < 0 ? -1 : text.indexOf(ANSWER, open + OPEN.length);
    const end = text.indexOf(END, answer < 0 ? 0 : answer + ANSWER.length);
    const isEnded = text.includes(END);
    if (answer >= 0 && (!isEnded || (open === 0 && end >= 0))) {
      const rest = text.slice(answer + ANSWER.length, end < 0 ? text.length : end);
      return pieceOf(text.slice(open + OPEN.length, answer), rest);
    }
    const firstEnd = text.indexOf(END);
    return pieceOf('', firstEnd < 0 ? text : text.slice(0, firstEnd));
  },
} satisfies ReasoningParser<ReturnType<typeof streamed.start>>;

function pieceOf(reasoning: string, rest: string): ReasoningPiece {
  return { reasoning: reasoning || null, rest: rest || null };
}
