import { firstMarker, undecided } from './markers.js';
import type { ReasoningContext, ReasoningParser, ReasoningPiece } from './parser.js';

/** How a family marks its reasoning. */
export interface ThinkTags {
  /** Opens reasoning; left out of it, wherever it comes. */
  open: string;
  /** Ends reasoning, and is left out. */
  close: string;
  /** End reasoning and stay: they begin something else, such as a tool call. */
  closeAndStay?: readonly string[];
  /** Whether an output begins inside reasoning, as the prompt left it. */
  startsInside(context: ReasoningContext): boolean;
  needsSpecialTokens?: boolean;
}

/** `before` = outside, but reasoning may yet be opened. */
type State = Readonly<{ phase: 'before' | 'reasoning' | 'after'; held: string }>;

/** Reasoning between two tags that may be cut anywhere. Output that opens with other text has no reasoning. */
export function thinkTags(tags: ThinkTags): ReasoningParser<State> {
  const { open, close, closeAndStay = [] } = tags;
  const inside = [open, close, ...closeAndStay];

  function start(context: ReasoningContext): State {
    return { phase: tags.startsInside(context) ? 'reasoning' : 'before', held: '' };
  }

  function push(state: State, text: string, isLast: boolean): { piece: ReasoningPiece; state: State } {
    let { phase } = state;
    let rest = state.held + text;
    let reasoning = '';
    if (phase === 'before') {
      const blank = /^\s*/.exec(rest)![0].length;
      if (rest.startsWith(open, blank)) {
        phase = 'reasoning';
        rest = rest.slice(blank + open.length);
      } else if (!isLast && open.startsWith(rest.slice(blank))) {
        return { piece: NOTHING, state: { phase, held: rest } };
      } else phase = 'after';
    }
    while (phase === 'reasoning') {
      const found = firstMarker(rest, inside);
      if (!found) {
        const until = rest.length - (isLast ? 0 : undecided(rest, inside));
        reasoning += rest.slice(0, until);
        return { piece: pieceOf(reasoning, ''), state: { phase, held: rest.slice(until) } };
      }
      reasoning += rest.slice(0, found.at);
      if (found.marker !== open) phase = 'after';
      rest = rest.slice(closeAndStay.includes(found.marker) ? found.at : found.end);
    }
    return { piece: pieceOf(reasoning, rest), state: { phase, held: '' } };
  }

  return {
    needsSpecialTokens: tags.needsSpecialTokens ?? true,
    start,
    hasEnded: ({ phase }) => phase !== 'reasoning',
    push: (state, text) => push(state, text, false),
    end: (state) => push(state, '', true).piece,
    whole: (text, context) => push(start(context), text, true).piece,
  };
}

const NOTHING: ReasoningPiece = { reasoning: null, rest: null };

function pieceOf(reasoning: string, rest: string): ReasoningPiece {
  return { reasoning: reasoning || null, rest: rest || null };
}
