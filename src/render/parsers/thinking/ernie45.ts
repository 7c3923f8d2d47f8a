import type { ReasoningParser } from '../parser.js';
import { phasedReasoning } from './phases.js';
import { MAYBE_OPEN, unlessClosed } from './plain.js';

const OPEN = '<response>';
const CLOSE = '</response>';

const streamed = phasedReasoning({
  phases: {
    start: MAYBE_OPEN,
    reasoning: { is: 'reasoning', ends: { '</think>': 'answer' } },
    answer: { opensWith: OPEN, skipsSpace: true, opened: 'response', unopened: 'rest' },
    response: { is: 'rest', ends: { [CLOSE]: 'end' } },
    rest: { is: 'rest' },
    end: { is: null },
  },
  start: unlessClosed('start'),
  needsSpecialTokens: false,
});

/** The same without the tags of an answer. */
const tagged = phasedReasoning({
  phases: {
    start: MAYBE_OPEN,
    reasoning: { is: 'reasoning', ends: { '</think>': 'rest' } },
    rest: { is: 'rest' },
  },
  start: unlessClosed('start'),
  needsSpecialTokens: false,
});

/** ERNIE 4.5: what is not reasoning may be between tags of its own, of which a whole output's last one counts. */
export const ernie45 = {
  ...streamed,
  whole(text, context) {
    const { reasoning, rest } = tagged.whole(text, context);
    const open = rest?.indexOf(OPEN) ?? -1;
    const close = rest?.lastIndexOf(CLOSE) ?? -1;
    const isTagged = open >= 0 && open < close;
    return { reasoning, rest: isTagged ? rest!.slice(open + OPEN.length, close) || null : rest };
  },
} satisfies ReasoningParser<ReturnType<typeof streamed.start>>;
