import { CallPieces } from './call-pieces.js';
import { scanValue, VALUE_START, type ValueScan } from './json-value.js';
import type { ParsedToolCall, ToolParser, ToolPiece } from './parser.js';
import { RESPELLING_START, type Respelling, respell, respelled } from './tagged/respelled-json.js';

/** A call's beginning is looked at again with each push, up to this many characters. */
const LONGEST_HEAD = 2048;

const NOTHING: ToolPiece = { content: null, toolCalls: [] };

/** What reads calls that are forced, where a grammar makes them JSON. */
export function forcedJson(choice: string | { name: string }): ToolParser {
  return (typeof choice === 'string' ? listedJson : namedJson(choice.name)) as unknown as ToolParser;
}

/** The one function that has to be called: its arguments are all of the output. White space alone calls nothing; the state
 * is what of it was seen, and null once there is more. */
function namedJson(name: string): ToolParser<string | null> {
  return {
    needsSpecialTokens: false,
    callSyntax: null,
    start: () => '',
    push(space, text) {
      const isBegun = space === null;
      const all = isBegun ? text : space + text;
      if (!isBegun && all.trim() === '') return { piece: NOTHING, state: all.slice(-LONGEST_HEAD) };
      const call = { index: 0, name: isBegun ? null : name, arguments: all || null };
      return { piece: { content: null, toolCalls: [call] }, state: null };
    },
    end: () => NOTHING,
    whole: (text) => ({ content: null, toolCalls: text.trim() === '' ? [] : [{ name, arguments: text }] }),
  };
}

/** `call`: in one, before its arguments; `end`: after them. `held`: a call's beginning. */
type State = Readonly<{
  place: 'list' | 'call' | 'arguments' | 'end';
  held: string;
  calls: number;
  scan: ValueScan;
  json: Respelling;
}>;

const BEGINNING: State = { place: 'list', held: '', calls: 0, scan: VALUE_START, json: RESPELLING_START };

const HEAD = /"name"\s*:\s*("(?:[^"\\]|\\.)*")\s*(?:(?=\})|,\s*"parameters"\s*:\s*(?=\S))/;

/** Calls that have to be made, as a list in JSON that is all of the output: `[{"name": …, "parameters": …}, …]`. */
const listedJson: ToolParser<State> = {
  needsSpecialTokens: false,
  callSyntax: null,
  start: () => BEGINNING,
  push: read,
  end: () => NOTHING,
  whole(text) {
    const calls: ParsedToolCall[] = [];
    if (!isListOfCalls(text)) return { content: null, toolCalls: calls };
    for (const { index, name, arguments: sent } of read(BEGINNING, text).piece.toolCalls) {
      if (name !== null) calls[index] = { name, arguments: '' };
      calls[index]!.arguments += sent ?? '';
    }
    return { content: null, toolCalls: calls };
  },
};

function read(state: State, text: string): { piece: ToolPiece; state: State } {
  const pieces = new CallPieces();
  let now: State = { ...state, held: '' };
  let rest = state.held + text;
  while (rest !== '') {
    const step = STEPS[now.place](now, rest, pieces);
    now = step.state;
    if (step.left === null) break;
    rest = step.left;
  }
  return { piece: pieces.piece, state: now };
}

/** `left` null: more text is needed. */
type StepOf = (state: State, text: string, pieces: CallPieces) => { state: State; left: string | null };

const STEPS: Readonly<Record<State['place'], StepOf>> = {
  list: (state, text) => after(text, '{', state, 'call'),
  end: (state, text) => after(text, '}', state, 'list'),
  call(state, text, pieces) {
    const head = HEAD.exec(text);
    if (!head) return { state: { ...state, held: text.slice(-LONGEST_HEAD) }, left: null };
    pieces.begin(state.calls, nameOf(head[1]!));
    const hasArguments = head[0].includes(',', head[0].indexOf(head[1]!) + head[1]!.length);
    if (!hasArguments) pieces.addArguments(state.calls, 'null');
    const next: State = {
      ...state,
      place: hasArguments ? 'arguments' : 'end',
      calls: state.calls + 1,
      scan: VALUE_START,
      json: RESPELLING_START,
    };
    return { state: next, left: text.slice(head.index + head[0].length) };
  },
  arguments(state, text, pieces) {
    const { length, ended, scan } = scanValue(state.scan, text);
    const value = text.slice(0, length);
    const step = respell(state.json, value, ended);
    pieces.addArguments(state.calls - 1, step?.text ?? value);
    const next: State = {
      ...state,
      scan,
      json: step?.state ?? state.json,
      place: ended ? 'end' : 'arguments',
    };
    return { state: next, left: ended ? text.slice(length) : null };
  },
};

function nameOf(quoted: string): string {
  return respelled(quoted) === null ? quoted.slice(1, -1) : (JSON.parse(quoted) as string);
}

function after(text: string, marker: string, state: State, place: State['place']) {
  const at = text.indexOf(marker);
  if (at < 0) return { state, left: null };
  return { state: { ...state, place }, left: text.slice(at + 1) };
}

function isListOfCalls(text: string): boolean {
  const json = respelled(text);
  const list: unknown = json && JSON.parse(json);
  return Array.isArray(list) && list.every(isCall);
}

function isCall(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { name, parameters = null } = value as Readonly<Record<string, unknown>>;
  return typeof name === 'string' && typeof parameters === 'object' && !Array.isArray(parameters);
}
