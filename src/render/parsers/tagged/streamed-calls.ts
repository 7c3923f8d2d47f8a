import type { Tool } from '../../../../generated/types.js';
import { CallPieces } from '../call-pieces.js';
import { strip, stripEnd } from '../python-space.js';
import type { CallSink } from './call-sink.js';
import { jsonText } from './json-text.js';
import { type Types, typesOfArgument } from './schema-types.js';
import { endValue, pushValue, VALUE_START, type ValueState } from './streamed-value.js';

/**
 * What of a message was sent. `space`: content that may be the white space at its end; `name`: of the present call,
 * null once it is known that there is none; `argument`: of the value that is open.
 */
export type StreamedState = Readonly<{
  space: string;
  calls: number;
  name: string | null;
  /** Arguments of the call that were begun. */
  begun: number;
  argument: string | null;
  /** Whether something of its value was sent. */
  isOpen: boolean;
  value: ValueState;
}>;

export const STREAMED_START: StreamedState = {
  space: '',
  calls: 0,
  name: null,
  begun: 0,
  argument: null,
  isOpen: false,
  value: VALUE_START,
};

const LONGEST_NAME = 1024;
/** White space that is waited on, in case that a message's content ends with it. */
const LONGEST_SPACE = 512;

/** Sends what one push found as soon as it is certain. */
export class StreamedCalls implements CallSink {
  readonly #pieces = new CallPieces();
  #state: { -readonly [Field in keyof StreamedState]: StreamedState[Field] };

  constructor(
    state: StreamedState,
    private readonly tools: readonly Tool[],
    private readonly isCallable: (name: string) => boolean,
  ) {
    this.#state = { ...state };
  }

  get state(): StreamedState {
    return this.#state;
  }

  get piece() {
    return this.#pieces.piece;
  }

  content(text: string): void {
    if (this.#state.calls > 0) return;
    const all = this.#state.space + text;
    const solid = stripEnd(all).length;
    const until = Math.max(solid, all.length - LONGEST_SPACE);
    this.#pieces.addContent(all.slice(0, until));
    this.#state.space = all.slice(until);
  }

  leaveContent(): void {}

  beginCall(): void {
    Object.assign(this.#state, { name: '', begun: 0, argument: null });
  }

  name(text: string): void {
    const name = this.#state.name === null ? null : this.#state.name + text;
    this.#state.name = name !== null && name.length <= LONGEST_NAME ? name : null;
  }

  beginArguments(): void {
    const name = strip(this.#state.name ?? '');
    this.#state.name = this.isCallable(name) ? name : null;
    if (this.#state.name !== null) this.#pieces.begin(this.#state.calls++, name);
  }

  beginValue(argument: string): void {
    Object.assign(this.#state, { argument, value: VALUE_START, isOpen: false });
  }

  value(text: string): void {
    const { json, state } = pushValue(this.#state.value, text, this.#types);
    this.#state.value = state;
    this.#sendOfValue(json);
  }

  endValue(isClosed: boolean): void {
    if (!isClosed) return;
    this.#sendOfValue(endValue(this.#state.value, this.#types));
    this.#state.argument = null;
  }

  endCall(isClosed: boolean): void {
    const isCut = this.#state.argument !== null && this.#state.isOpen;
    if (!isCut) this.#send(this.#state.begun === 0 ? '{}' : '}');
    else if (isClosed) this.#send(`${endValue(this.#state.value, this.#types)}}`);
    this.#state.name = null;
  }

  /** The output has ended. Content next to calls has no white space at its end. */
  finish(): void {
    if (this.#state.calls === 0) this.#pieces.addContent(this.#state.space);
    this.#state.space = '';
  }

  /** An argument's name is sent with the first of its value, so that one without an end may yet be left out. */
  #sendOfValue(json: string): void {
    const { argument, begun, isOpen } = this.#state;
    if (json === '' || argument === null) return;
    const comma = begun === 0 ? '{' : ', ';
    this.#send(isOpen ? json : `${comma}${jsonText(argument)}: ${json}`);
    Object.assign(this.#state, { isOpen: true, begun: isOpen ? begun : begun + 1 });
  }

  #send(json: string): void {
    if (this.#state.name !== null) this.#pieces.addArguments(this.#state.calls - 1, json);
  }

  get #types(): Types | null {
    const { name, argument } = this.#state;
    return name === null || argument === null ? null : typesOfArgument(this.tools, name, argument);
  }
}
