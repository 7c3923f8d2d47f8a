import { CallPieces } from '../call-pieces.js';
import { firstMarker, undecided } from '../markers.js';
import type { OwnCallSyntax, ToolParser, ToolPiece } from '../parser.js';
import { wholeFrom } from '../whole-from-stream.js';

/** How a family frames its calls: a header with the name, then arguments in JSON. */
export interface Frames {
  /** Begins the calls. What is before it is the message's content. */
  section: string;
  /** Begins a call; that may be what begins the section. */
  call: string;
  /** Ends a header. */
  separator: string;
  /** A brace ends a header, too, and begins the arguments. */
  bracesSeparate: boolean;
  /** End the arguments. */
  ends: readonly string[];
  /** The function's name in a header. */
  nameOf(header: string): string;
  needsSpecialTokens: boolean;
  callSyntax: OwnCallSyntax | null;
}

/** A header is looked at again with each push, up to this many characters. */
const LONGEST_HEADER = 2048;
/** White space that is waited on, in case that it ends the arguments. */
const LONGEST_SPACE = 1024;

/** `between`: after a call. `isEmpty`: no arguments yet. `held`: text that is not decided on. */
export type FramedState = Readonly<{
  place: 'content' | 'between' | 'header' | 'arguments';
  held: string;
  calls: number;
  isEmpty: boolean;
}>;

const BEGINNING: FramedState = { place: 'content', held: '', calls: 0, isEmpty: true };

/** Calls in frames that may be cut anywhere. Arguments are as the model wrote them; a call without any has `{}`. */
export function framedCalls(frames: Frames): ToolParser<FramedState> {
  const read = (state: FramedState, text: string, isLast: boolean) => {
    const walk = new Walk(frames, state, isLast);
    walk.push(text);
    return { piece: walk.piece, state: walk.state };
  };
  const parser: ToolParser<FramedState> = {
    needsSpecialTokens: frames.needsSpecialTokens,
    callSyntax: frames.callSyntax,
    start: () => BEGINNING,
    push: (state, text) => read(state, text, false),
    end: (state) => read(state, '', true).piece,
    whole: (text) => wholeFrom(parser, text, []),
  };
  return parser;
}

/** One push. */
class Walk {
  #place: FramedState['place'];
  #held = '';
  #calls: number;
  #isEmpty: boolean;
  readonly #pieces = new CallPieces();

  constructor(
    private readonly frames: Frames,
    private readonly from: FramedState,
    private readonly isLast: boolean,
  ) {
    this.#place = from.place;
    this.#calls = from.calls;
    this.#isEmpty = from.isEmpty;
  }

  get piece(): ToolPiece {
    return this.#pieces.piece;
  }

  get state(): FramedState {
    return { place: this.#place, held: this.#held, calls: this.#calls, isEmpty: this.#isEmpty };
  }

  push(text: string): void {
    let rest: string | null = this.from.held + text;
    while (rest) rest = this.#steps[this.#place](rest);
    if (this.isLast && this.#place === 'arguments') this.#endCall();
  }

  /** Each reads on and returns what is left, or null when it needs more. */
  readonly #steps: Record<FramedState['place'], (text: string) => string | null> = {
    content: (text) => {
      const { section, call } = this.frames;
      const next = section === call ? 'header' : 'between';
      return this.#upTo([section], text, next, (before) => this.#pieces.addContent(before));
    },
    between: (text) => this.#upTo([this.frames.call], text, 'header', () => {}),
    header: (text) => {
      const { separator, bracesSeparate, nameOf } = this.frames;
      const found = firstMarker(text, bracesSeparate ? [separator, '{'] : [separator]);
      if (!found) return this.#hold(text.slice(-LONGEST_HEADER));
      this.#pieces.begin(this.#calls++, nameOf(text.slice(0, found.at)));
      this.#place = 'arguments';
      this.#isEmpty = true;
      return text.slice(found.marker === '{' ? found.at : found.end);
    },
    arguments: (text) => this.#readArguments(text),
  };

  #readArguments(text: string): string | null {
    const { ends, call } = this.frames;
    const found = firstMarker(text, ends);
    const all = this.#isEmpty ? text.trimStart() : text;
    if (found) {
      this.#addArguments(text.slice(0, found.at).trimEnd());
      this.#endCall();
      this.#place = found.marker === call ? 'header' : 'between';
      return text.slice(found.end);
    }
    const waiting = this.isLast ? 0 : undecided(all, ends);
    const decided = all.slice(0, all.length - waiting);
    const solid = decided.trimEnd().length;
    const until = this.isLast ? solid : Math.max(solid, decided.length - LONGEST_SPACE);
    this.#addArguments(decided.slice(0, until));
    return this.#hold(all.slice(until));
  }

  #addArguments(text: string): void {
    const added = this.#isEmpty ? text.trimStart() : text;
    if (added === '') return;
    this.#isEmpty = false;
    this.#pieces.addArguments(this.#calls - 1, added);
  }

  #endCall(): void {
    if (this.#isEmpty) this.#pieces.addArguments(this.#calls - 1, '{}');
    this.#isEmpty = true;
  }

  #upTo(
    markers: readonly string[],
    text: string,
    next: FramedState['place'],
    take: (before: string) => void,
  ): string | null {
    const found = firstMarker(text, markers);
    if (found) {
      take(text.slice(0, found.at));
      this.#place = next;
      return text.slice(found.end);
    }
    const until = text.length - (this.isLast ? 0 : undecided(text, markers));
    take(text.slice(0, until));
    return this.#hold(text.slice(until));
  }

  #hold(text: string): null {
    this.#held = this.isLast ? '' : text;
    return null;
  }
}
