import { CallPieces } from './call-pieces.js';
import { jsonCall } from './json-call.js';
import { scanValue, VALUE_START, type ValueScan } from './json-value.js';
import { overlap } from './markers.js';
import type { ToolParser, ToolPiece } from './parser.js';

const START = '<tool_call>';
const END = '</tool_call>';
const CALLS = /<tool_call>([\s\S]*?)<\/tool_call>|<tool_call>([\s\S]*)/g;
const NAME = /"name"\s*:\s*"([^"]+)"/;
const ARGUMENTS = /"arguments"\s*:\s*(?=\S)/;

/** A call's beginning is looked at again with each push, up to this many characters. */
const LONGEST_HEAD = 4096;
/** What may still be the beginning of `"arguments":`. */
const KEPT_HEAD = 64;
/** White space that is waited on, in case that it ends the arguments. */
const LONGEST_SPACE = 1024;

type Mode = 'content' | 'head' | 'arguments' | 'tail' | 'between';

/** `held`: text not decided on; `calls`: calls begun; `named`: whether the present call's name was told. */
type State = Readonly<{ mode: Mode; held: string; calls: number; named: boolean; scan: ValueScan }>;

const BEGINNING: State = { mode: 'content', held: '', calls: 0, named: false, scan: VALUE_START };

/**
 * `<tool_call>{"name": …, "arguments": …}</tool_call>`, as Hermes and Qwen 2.5 and 3 write it. Text after the first
 * call is not part of the message.
 */
export const hermes: ToolParser<State> = {
  needsSpecialTokens: true,
  callSyntax: {
    trigger: START,
    envelopes: (name) => [
      { begin: `${START}\n{"name": "${name}", "arguments": `, end: `}\n${END}` },
      { begin: `${START}{"name": "${name}", "arguments": `, end: `}${END}` },
    ],
  },
  start: () => BEGINNING,
  push(state, text) {
    const pieces = new CallPieces();
    let now: State = { ...state, held: '' };
    let rest = state.held + text;
    while (rest !== '') {
      const { next, left } = STEPS[now.mode](now, rest, pieces);
      now = next;
      if (next.held !== '') break;
      rest = left;
    }
    return { piece: pieces.piece, state: now };
  },
  // What was held back is the beginning of a marker that never came; the reference drops it.
  end: (): ToolPiece => ({ content: null, toolCalls: [] }),
  whole(text) {
    if (!text.includes(START)) return { content: text, toolCalls: [] };
    const calls = Array.from(text.matchAll(CALLS), ([, closed, open]) => jsonCall((closed ?? open)!));
    if (calls.some((call) => call === null)) return { content: text, toolCalls: [] };
    return {
      content: text.slice(0, text.indexOf(START)) || null,
      toolCalls: calls.filter((call) => call !== null),
    };
  },
};

type Advance = { next: State; left: string };
type StepOf = (state: State, text: string, pieces: CallPieces) => Advance;

const STEPS: Record<Mode, StepOf> = {
  content: (state, text, pieces) => upToStart(state, text, (before) => pieces.addContent(before)),
  between: (state, text) => upToStart(state, text, () => {}),
  head: inCall(readHead),
  arguments: inCall(readArguments),
  tail: inCall((state) => ({ next: state, left: '' })),
};

function upToStart(state: State, text: string, take: (before: string) => void): Advance {
  const at = text.indexOf(START);
  if (at < 0) {
    const waiting = overlap(text, START);
    take(text.slice(0, text.length - waiting));
    return { next: { ...state, held: text.slice(text.length - waiting) }, left: '' };
  }
  take(text.slice(0, at));
  const next: State = { ...state, mode: 'head', named: false, scan: VALUE_START };
  return { next, left: text.slice(at + START.length) };
}

type CallStep = (state: State, text: string, isClosed: boolean, pieces: CallPieces) => Advance;

/** Read what is left of a call: up to its end marker, or all but what may be the beginning of one. */
function inCall(step: CallStep): StepOf {
  return (state, text, pieces) => {
    const end = text.indexOf(END);
    const isClosed = end >= 0;
    const until = isClosed ? end : text.length - overlap(text, END);
    const { next, left } = step(state, text.slice(0, until), isClosed, pieces);
    if (next.mode !== state.mode) return { next, left: left + text.slice(until) };
    if (!isClosed) return { next: { ...next, held: left + text.slice(until) }, left: '' };
    return { next: { ...next, mode: 'between' }, left: text.slice(end + END.length) };
  };
}

function readHead(state: State, text: string, isClosed: boolean, pieces: CallPieces): Advance {
  let { named, calls } = state;
  const name = named ? null : NAME.exec(text)?.[1];
  if (name) {
    pieces.begin(calls++, name);
    named = true;
  }
  const begun: State = { ...state, named, calls };
  const match = named ? ARGUMENTS.exec(text) : null;
  if (match) {
    return { next: { ...begun, mode: 'arguments' }, left: text.slice(match.index + match[0].length) };
  }
  if (isClosed && named) pieces.addArguments(calls - 1, '{}');
  return { next: begun, left: text.slice(named ? -KEPT_HEAD : -LONGEST_HEAD) };
}

function readArguments(state: State, text: string, isClosed: boolean, pieces: CallPieces): Advance {
  const { length, ended } = scanValue(state.scan, text);
  const value = text.slice(0, length);
  if (ended) {
    pieces.addArguments(state.calls - 1, value);
    return { next: { ...state, mode: 'tail' }, left: text.slice(length) };
  }
  // White space may be the last of the arguments, which is not sent; until then it waits.
  const solid = value.trimEnd().length;
  const until = isClosed ? solid : Math.max(solid, value.length - LONGEST_SPACE);
  const sent = value.slice(0, until);
  pieces.addArguments(state.calls - 1, sent);
  return {
    next: { ...state, scan: scanValue(state.scan, sent).scan },
    left: isClosed ? '' : value.slice(until),
  };
}
