import type { ReasoningContext, ReasoningParser } from '../parser.js';
import { lastOf } from '../prompt-markers.js';

const OPEN = '<think>';
const CLOSE = '</think>';

/** `isFirst`: nothing was pushed yet. */
type State = Readonly<{ isFirst: boolean; isOver: boolean }>;

/** MiniMax M2 with its reasoning left in the content, after the opening tag that its outputs lack. */
export const minimaxM2AppendThink: ReasoningParser<State> = {
  needsSpecialTokens: false,
  start: ({ prompt }: ReasoningContext) => ({
    isFirst: true,
    isOver: lastOf(prompt, [OPEN, CLOSE]) === CLOSE,
  }),
  hasEnded: ({ isOver }) => isOver,
  push: (state, text) => ({
    piece: { reasoning: null, rest: (state.isFirst ? OPEN : '') + text },
    state: { ...state, isFirst: false },
  }),
  end: ({ isFirst }) => ({ reasoning: null, rest: isFirst ? OPEN : null }),
  whole: (text) => ({ reasoning: null, rest: OPEN + text }),
};
