import type { CallPieces } from '../call-pieces.js';
import { scanValue, VALUE_START, type ValueScan } from '../json-value.js';
import { RESPELLING_START, type Respelling, respell, respelled } from '../tagged/respelled-json.js';

/** A call's beginning is looked at again with each push, up to this many characters. */
const LONGEST_HEAD = 2048;

/** `call`: in one, before its arguments; `end`: after them. `held`: a call's beginning. */
export type ObjectsState = Readonly<{
  place: 'list' | 'call' | 'arguments' | 'end';
  held: string;
  calls: number;
  scan: ValueScan;
  json: Respelling;
}>;

export const OBJECTS_START: ObjectsState = {
  place: 'list',
  held: '',
  calls: 0,
  scan: VALUE_START,
  json: RESPELLING_START,
};

/** How the objects name their arguments, what a call without any has, and whether arguments stay as they are written. */
export interface ObjectsForm {
  head: RegExp;
  noArguments: string;
  isVerbatim: boolean;
}

/** Objects with a name, and arguments under one of these keys: as Python would print them, or else verbatim. */
export function objectsForm(
  keys: readonly string[],
  noArguments: string,
  isVerbatim: boolean = false,
): ObjectsForm {
  const argumentsKey = `,\\s*"(?:${keys.join('|')})"\\s*:\\s*(?=\\S)`;
  const head = new RegExp(`"name"\\s*:\\s*("(?:[^"\\\\]|\\\\.)*")\\s*(?:(?=\\})|${argumentsKey})`);
  return { head, noArguments, isVerbatim };
}

/** Reads `{"name": …, KEY: …}` one after the other, whatever is between them. */
export function readObjects(
  state: ObjectsState,
  text: string,
  form: ObjectsForm,
  pieces: CallPieces,
): ObjectsState {
  let now: ObjectsState = { ...state, held: '' };
  let rest = state.held + text;
  while (rest !== '') {
    const step = STEPS[now.place](now, rest, pieces, form);
    now = step.state;
    if (step.left === null) break;
    rest = step.left;
  }
  return now;
}

/** `left` null: more text is needed. */
type StepOf = (
  state: ObjectsState,
  text: string,
  pieces: CallPieces,
  form: ObjectsForm,
) => { state: ObjectsState; left: string | null };

const STEPS: Readonly<Record<ObjectsState['place'], StepOf>> = {
  list: (state, text) => after(text, '{', state, 'call'),
  end: (state, text) => after(text, '}', state, 'list'),
  call(state, text, pieces, { head, noArguments }) {
    const found = head.exec(text);
    if (!found) return { state: { ...state, held: text.slice(-LONGEST_HEAD) }, left: null };
    const [all, name] = found as unknown as [string, string];
    pieces.begin(state.calls, nameOf(name));
    const hasArguments = all.includes(',', all.indexOf(name) + name.length);
    if (!hasArguments) pieces.addArguments(state.calls, noArguments);
    const next: ObjectsState = {
      ...OBJECTS_START,
      place: hasArguments ? 'arguments' : 'end',
      calls: state.calls + 1,
    };
    return { state: next, left: text.slice(found.index + all.length) };
  },
  arguments(state, text, pieces, { isVerbatim }) {
    const { length, ended, scan } = scanValue(state.scan, text);
    const value = text.slice(0, length);
    const step = isVerbatim ? null : respell(state.json, value, ended);
    pieces.addArguments(state.calls - 1, step?.text ?? value);
    const next: ObjectsState = {
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

function after(text: string, marker: string, state: ObjectsState, place: ObjectsState['place']) {
  const at = text.indexOf(marker);
  if (at < 0) return { state, left: null };
  return { state: { ...state, place }, left: text.slice(at + 1) };
}
