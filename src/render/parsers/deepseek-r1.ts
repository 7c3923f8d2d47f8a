import type { ReasoningContext, ReasoningParser, ReasoningPiece } from './parser.js';
import { lastOf } from './prompt-markers.js';

const OPEN = '<think>';
const CLOSE = '</think>';

/** `isOpened`: the output has the opening tag. */
type State = Readonly<{ hasEnded: boolean; isOpened: boolean }>;

/**
 * DeepSeek R1: an output is reasoning until `</think>`, unless the prompt ended it. Both tags are tokens, so a push
 * holds them whole and nothing has to wait. As in the reference, an opening tag that comes with text in one push,
 * and not alone, stays in the reasoning; and the whole form does not look at the prompt.
 */
export const deepseekR1: ReasoningParser<State> = {
  needsSpecialTokens: false,
  start: ({ prompt }: ReasoningContext) => ({
    hasEnded: lastOf(prompt, [OPEN, CLOSE]) === CLOSE,
    isOpened: false,
  }),
  hasEnded: ({ hasEnded }) => hasEnded,
  push(state, text) {
    if (state.hasEnded) return { piece: pieceOf('', text), state };
    const close = text.indexOf(CLOSE);
    const open = state.isOpened ? -1 : text.indexOf(OPEN);
    const isOpened = state.isOpened || open >= 0;
    if (text === OPEN) return { piece: pieceOf('', ''), state: { hasEnded: false, isOpened } };
    if (close < 0) {
      return { piece: { reasoning: text, rest: null }, state: { hasEnded: false, isOpened } };
    }
    const from = open >= 0 && open < close ? open + OPEN.length : 0;
    const piece = pieceOf(text.slice(from, close), text.slice(close + CLOSE.length));
    return { piece, state: { hasEnded: true, isOpened } };
  },
  end: () => pieceOf('', ''),
  whole(text) {
    const open = text.indexOf(OPEN);
    const output = open < 0 ? text : text.slice(open + OPEN.length);
    const close = output.indexOf(CLOSE);
    if (close < 0) return pieceOf(output, '');
    return pieceOf(output.slice(0, close), output.slice(close + CLOSE.length));
  },
};

function pieceOf(reasoning: string, rest: string): ReasoningPiece {
  return { reasoning: reasoning || null, rest: rest || null };
}
