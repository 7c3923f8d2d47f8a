import { firstMarker, undecided } from '../markers.js';
import { type Header, readHeader } from './header.js';

/** `header`: before `<|message|>`; `gap`: after a message's end; `loose`: in text that is too long for a header. */
export type ReaderState = Readonly<{
  place: 'header' | 'message' | 'gap' | 'loose';
  /** The header so far, or what may be the beginning of a marker. */
  held: string;
}>;

export const READER_START: ReaderState = { place: 'header', held: '' };

/** Takes what is found in an output, in order. */
export interface MessageSink {
  /** A message begins; `raw` is its header as it was written, markers included. */
  open(header: Header, raw: string): void;
  text(text: string): void;
  close(marker: string): void;
  /** Text that is in no message. */
  loose(text: string): void;
}

const START = '<|start|>';
const MESSAGE = '<|message|>';
const ENDS = ['<|end|>', '<|call|>', '<|return|>'] as const;

/** More than any header. */
const LONGEST_HEADER = 1024;

/**
 * Read a piece of an output in OpenAI's Harmony format: `header<|message|>text<|end|>`, messages after the first
 * beginning with `<|start|>` and a role. A header that never ends is the message's text; one that is not well-formed drops its
 * message.
 */
export function readHarmony(
  state: ReaderState,
  text: string,
  isLast: boolean,
  sink: MessageSink,
): ReaderState {
  let { place } = state;
  let rest = state.held + text;
  for (;;) {
    const step = STEPS[place](rest, isLast, sink);
    if (step.place === null) return { place: step.becomes ?? place, held: step.rest };
    place = step.place;
    rest = step.rest;
  }
}

/** `place` null: more text is needed, and `becomes` is where it is read, unless that stays. */
interface Step {
  place: ReaderState['place'] | null;
  becomes?: ReaderState['place'];
  rest: string;
}

type StepOf = (text: string, isLast: boolean, sink: MessageSink) => Step;

const STEPS: Readonly<Record<ReaderState['place'], StepOf>> = {
  header(text, isLast, sink) {
    const end = text.indexOf(MESSAGE);
    if (end < 0) {
      if (!isLast && text.length <= LONGEST_HEADER) return { place: null, rest: text };
      sink.loose(text);
      return { place: null, becomes: 'loose', rest: '' };
    }
    const raw = text.slice(0, end + MESSAGE.length);
    const isMarked = raw.startsWith(START);
    const header = readHeader(raw.slice(isMarked ? START.length : 0, end), isMarked);
    if (header) sink.open(header, raw);
    return { place: header ? 'message' : 'gap', rest: text.slice(raw.length) };
  },
  message(text, isLast, sink) {
    const found = firstMarker(text, ENDS);
    const until = found?.at ?? text.length - (isLast ? 0 : undecided(text, ENDS));
    if (until > 0) sink.text(text.slice(0, until));
    if (!found) return { place: null, rest: text.slice(until) };
    sink.close(found.marker);
    return { place: 'gap', rest: text.slice(found.end) };
  },
  gap(text, isLast) {
    const at = text.indexOf(START);
    if (at >= 0) return { place: 'header', rest: text.slice(at) };
    return { place: null, rest: isLast ? '' : text.slice(text.length - undecided(text, [START])) };
  },
  loose(text, isLast, sink) {
    const at = text.indexOf(MESSAGE);
    if (at >= 0) return { place: 'gap', rest: text.slice(at + MESSAGE.length) };
    const until = text.length - (isLast ? 0 : undecided(text, [MESSAGE]));
    if (until > 0) sink.loose(text.slice(0, until));
    return { place: null, rest: text.slice(until) };
  },
};
