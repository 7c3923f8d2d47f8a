import { undecided } from '../markers.js';
import { ARGUMENTS_START, ArgumentReader, type ArgumentsState } from './argument-reader.js';
import type { ArgumentTags } from './argument-tags.js';
import type { CallSink } from './call-sink.js';

/** Where in an output: `before` a call's name, and `after` its end, text is nothing. */
export type Place = 'content' | 'before' | 'name' | 'arguments' | 'after';

/** How a family marks its calls. */
export interface CallGrammar {
  /** Where a marker leads from each place. Markers that lead nowhere are text. */
  moves: Readonly<Record<Place, Readonly<Record<string, Place>>>>;
  /** Where a call has begun: what is before it is the message's content. */
  callBeginsIn: 'before' | 'name';
  /** Markers that a call's arguments begin with, which lead there and are read again. */
  argumentMarkers: readonly string[];
  /** Other texts that count as one, so that no marker is found within them. */
  otherMarkers: readonly string[];
  argumentTags: ArgumentTags;
}

/** `held`: text that may be the beginning of a marker. */
export type MachineState = Readonly<{ place: Place; held: string; arguments: ArgumentsState }>;

export const MACHINE_START: MachineState = { place: 'content', held: '', arguments: ARGUMENTS_START };

/** The markers of a grammar: all of them, and what finds the first, the longest of several at one place. */
interface Markers {
  all: readonly string[];
  pattern: RegExp;
}

/** Reads outputs of one grammar. */
export class CallMachine {
  readonly #markers: Markers;

  constructor(private readonly grammar: CallGrammar) {
    this.#markers = markersOf(grammar);
  }

  /** Read a piece, cut anywhere, and tell the sink what it holds. */
  push(state: MachineState, text: string, isLast: boolean, sink: CallSink): MachineState {
    const walk = new Walk(this.grammar, state, sink);
    const all = state.held + text;
    const { pattern, all: markers } = this.#markers;
    let at = 0;
    pattern.lastIndex = 0;
    for (let found = pattern.exec(all); found; found = pattern.exec(all)) {
      const [marker] = found;
      const mayGrow = found.index + marker.length === all.length && !isLast;
      if (mayGrow && markers.some((longer) => longer !== marker && longer.startsWith(marker))) break;
      walk.text(all.slice(at, found.index));
      walk.marker(marker);
      at = found.index + marker.length;
    }
    const waiting = isLast ? 0 : undecided(all.slice(at), markers);
    walk.text(all.slice(at, all.length - waiting));
    if (isLast) walk.end();
    return { ...walk.state, held: all.slice(all.length - waiting) };
  }
}

function markersOf({ moves, otherMarkers }: CallGrammar): Markers {
  const all = [...new Set([...Object.values(moves).flatMap(Object.keys), ...otherMarkers])];
  const longestFirst = all.toSorted((a, b) => b.length - a.length);
  const escaped = longestFirst.map((marker) => marker.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  return { all, pattern: new RegExp(escaped.join('|'), 'g') };
}

/** One push. */
class Walk {
  #place: Place;
  readonly #arguments: ArgumentReader;

  constructor(
    private readonly grammar: CallGrammar,
    state: MachineState,
    private readonly sink: CallSink,
  ) {
    this.#place = state.place;
    this.#arguments = new ArgumentReader(state.arguments, grammar.argumentTags, sink);
  }

  get state(): Omit<MachineState, 'held'> {
    return { place: this.#place, arguments: this.#arguments.state };
  }

  text(text: string): void {
    if (text === '') return;
    if (this.#place === 'content') this.sink.content(text);
    else if (this.#place === 'name') this.sink.name(text);
    else if (this.#place === 'arguments') this.#arguments.push(text);
  }

  marker(marker: string): void {
    const to = this.grammar.moves[this.#place][marker];
    if (to !== undefined) this.#go(to, true);
    if (to === undefined || this.grammar.argumentMarkers.includes(marker)) this.text(marker);
  }

  /** The output is over. */
  end(): void {
    this.#go('content', false);
  }

  #go(to: Place, isClosed: boolean): void {
    const from = this.#place;
    this.#place = to;
    if (from === 'arguments') this.#arguments.end();
    if (to === 'name' || to === this.grammar.callBeginsIn) this.sink.leaveContent();
    if (from === 'name') this.sink.beginArguments();
    const isInCall = from === 'name' || from === 'arguments';
    if (isInCall && to !== 'arguments') this.sink.endCall(isClosed);
    if (to === 'name') this.sink.beginCall();
  }
}
