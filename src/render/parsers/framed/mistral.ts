import { CallPieces } from '../call-pieces.js';
import { OBJECTS_START, type ObjectsState, objectsForm, readObjects } from '../listed/call-objects.js';
import { overlap } from '../markers.js';
import type { ToolParser, ToolPiece } from '../parser.js';
import { wholeFrom } from '../whole-from-stream.js';
import { type FramedState, framedCalls } from './framed-calls.js';

const MARKER = '[TOOL_CALLS]';

/** From version 11 on: `[TOOL_CALLS]NAME[ARGS]{…}`, or without the second marker. */
const framed = framedCalls({
  section: MARKER,
  call: MARKER,
  separator: '[ARGS]',
  bracesSeparate: true,
  ends: [MARKER],
  nameOf: (header) => header.trim(),
  needsSpecialTokens: true,
  callSyntax: null,
});

const FORM = objectsForm(['arguments'], '{}');

/** `form` null: no call has begun. `held`: what may begin the first. */
type State = Readonly<{
  form: 'framed' | 'listed' | null;
  held: string;
  framed: FramedState;
  listed: ObjectsState;
}>;

/** Mistral: calls in frames, or before version 11 a list of JSON objects after the marker. */
export const mistralCalls: ToolParser<State> = {
  needsSpecialTokens: true,
  callSyntax: null,
  start: () => ({ form: null, held: '', framed: framed.start(), listed: OBJECTS_START }),
  push(state, text, tools) {
    if (state.form === 'listed') return list(state, text);
    if (state.form === 'framed') {
      const { piece, state: next } = framed.push(state.framed, text, tools);
      return { piece, state: { ...state, framed: next } };
    }
    return begin(state, state.held + text, tools);
  },
  end: (state, tools) =>
    state.form === 'framed' ? framed.end(state.framed, tools) : contentOf(state.form ? '' : state.held),
  whole: (text, tools) => wholeFrom(mistralCalls, text, tools),
};

/** Content up to the first call; what the call is, its first character says. */
function begin(state: State, text: string, tools: Parameters<typeof framed.push>[2]) {
  const at = text.indexOf(MARKER);
  if (at < 0) {
    const until = text.length - overlap(text, MARKER);
    return { piece: contentOf(text.slice(0, until)), state: { ...state, held: text.slice(until) } };
  }
  const call = text.slice(at + MARKER.length).trimStart();
  if (call === '') return { piece: contentOf(text.slice(0, at)), state: { ...state, held: MARKER } };
  const { piece, state: next } = /^[[{]/.test(call)
    ? list({ ...state, form: 'listed', held: '' }, call)
    : framedFrom(state, MARKER + call, tools);
  return { piece: { ...piece, content: text.slice(0, at) || null }, state: next };
}

function framedFrom(state: State, text: string, tools: Parameters<typeof framed.push>[2]) {
  const { piece, state: next } = framed.push(state.framed, text, tools);
  return { piece, state: { ...state, form: 'framed' as const, held: '', framed: next } };
}

function list(state: State, text: string) {
  const pieces = new CallPieces();
  const listed = readObjects(state.listed, text, FORM, pieces);
  return { piece: pieces.piece, state: { ...state, listed } };
}

function contentOf(text: string): ToolPiece {
  return { content: text || null, toolCalls: [] };
}
