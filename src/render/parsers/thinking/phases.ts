import { firstMarker, undecided } from '../markers.js';
import type { ReasoningContext, ReasoningParser, ReasoningPiece } from '../parser.js';
import { stripEnd } from '../python-space.js';

/** A part of an output, and which markers end it. */
export interface Passage {
  /** What its text is; null = no part of the message. */
  is: 'reasoning' | 'rest' | null;
  /** The phase after each marker; the marker itself is left out, unless it is named in `stays`. */
  ends?: Readonly<Record<string, string>>;
  /** Markers that are the beginning of the next phase's text. */
  stays?: readonly string[];
}

/** The beginning of a part: one phase if it opens with a marker, which is left out, and another if not. */
export interface Opening {
  opensWith: string;
  /** White space before the marker is left out, too. */
  skipsSpace: boolean;
  opened: string;
  unopened: string;
}

/** How a family's outputs go from one phase to the next. */
export interface Phases {
  phases: Readonly<Record<string, Passage | Opening>>;
  /** Those that are others for a whole output, which the reference reads once more after its reasoning. */
  wholePhases?: Readonly<Record<string, Passage | Opening>>;
  start(context: ReasoningContext): string;
  needsSpecialTokens: boolean;
  /** White space at the end of the reasoning is left out. */
  trimsReasoning?: boolean;
  /** Reasoning that does not end in a whole output was none. */
  needsEnd?: boolean;
}

/** `held`: text that may be the beginning of a marker; `space`: that may be the white space at the end of reasoning. */
type State = Readonly<{ phase: string; held: string; space: string }>;

/** White space that is waited on. */
const LONGEST_SPACE = 512;

/** A reasoning parser that goes through phases; outputs may be cut anywhere. */
export function phasedReasoning(family: Phases): ReasoningParser<State> {
  const whole = { ...family, phases: { ...family.phases, ...family.wholePhases } };
  const start = (context: ReasoningContext): State => ({ phase: family.start(context), held: '', space: '' });
  return {
    needsSpecialTokens: family.needsSpecialTokens,
    start,
    hasEnded({ phase }) {
      const at = family.phases[phase]!;
      return 'is' in at && at.is !== 'reasoning';
    },
    push: (state, text) => read(family, state, text, false),
    end: (state) => read(family, state, '', true).piece,
    whole(text, context) {
      const { piece, state } = read(whole, start(context), text, true);
      const at = family.phases[state.phase]!;
      const isOpen = 'is' in at && at.is === 'reasoning';
      return family.needsEnd && isOpen ? { reasoning: null, rest: text || null } : piece;
    },
  };
}

function read(
  family: Phases,
  state: State,
  text: string,
  isLast: boolean,
): { piece: ReasoningPiece; state: State } {
  const found = new Found(state.space, family.trimsReasoning ?? false);
  let { phase } = state;
  let left = state.held + text;
  for (;;) {
    const at = family.phases[phase];
    if (at === undefined) throw new TypeError(`There is no phase ${phase}.`);
    const step = 'is' in at ? readPassage(at, left, isLast, found) : readOpening(at, left, isLast);
    left = step.left;
    if (step.next === null) break;
    phase = step.next;
  }
  return { piece: found.piece, state: { phase, held: left, space: found.space } };
}

/** The next phase, or null when more text is needed, and the text that is not read yet. */
interface Step {
  next: string | null;
  left: string;
}

function readOpening(opening: Opening, text: string, isLast: boolean): Step {
  const { opensWith, skipsSpace, opened, unopened } = opening;
  const space = skipsSpace ? /^\s*/.exec(text)![0].length : 0;
  if (text.startsWith(opensWith, space)) return { next: opened, left: text.slice(space + opensWith.length) };
  const mayOpen = opensWith.startsWith(text.slice(space)) && space <= LONGEST_SPACE;
  return { next: isLast || !mayOpen ? unopened : null, left: text };
}

function readPassage(
  { is, ends = {}, stays = [] }: Passage,
  text: string,
  isLast: boolean,
  found: Found,
): Step {
  const markers = Object.keys(ends);
  const first = firstMarker(text, markers);
  if (first) {
    found.add(is, text.slice(0, first.at));
    return {
      next: ends[first.marker]!,
      left: text.slice(stays.includes(first.marker) ? first.at : first.end),
    };
  }
  const until = text.length - (isLast ? 0 : undecided(text, markers));
  found.add(is, text.slice(0, until));
  return { next: null, left: text.slice(until) };
}

/** What one push found. */
class Found {
  #reasoning = '';
  #rest = '';

  constructor(
    public space: string,
    private readonly trimsReasoning: boolean,
  ) {}

  get piece(): ReasoningPiece {
    return { reasoning: this.#reasoning || null, rest: this.#rest || null };
  }

  add(is: Passage['is'], text: string): void {
    if (is === 'rest') this.#rest += text;
    if (is === 'reasoning') this.#addReasoning(text);
  }

  #addReasoning(text: string): void {
    const all = this.space + text;
    const solid = this.trimsReasoning ? stripEnd(all).length : all.length;
    const until = Math.max(solid, all.length - LONGEST_SPACE);
    this.#reasoning += all.slice(0, until);
    this.space = all.slice(until);
  }
}
