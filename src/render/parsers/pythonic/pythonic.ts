import { CallPieces } from '../call-pieces.js';
import type { ToolParser, ToolPiece } from '../parser.js';
import { wholeFrom } from '../whole-from-stream.js';
import { CALLS_START, type CallsState, readCalls } from './calls.js';

/** `undecided`: whether the output is calls at all; `held`: its beginning. */
type State = Readonly<{ place: 'undecided' | 'content' | 'calls'; held: string; calls: CallsState }>;

/** A list that begins a call within this many characters is one of calls. */
const LONGEST_BEGINNING = 512;
const BEGINNING = /^\[\s*[\p{L}_][\p{L}\p{N}_.]*\s*\(/u;
const MAY_BEGIN = /^\[\s*(?:[\p{L}_][\p{L}\p{N}_.]*\s*)?$/u;

/** Calls in Python: `[f(a=1, b="x"), g()]`. An output is calls or content. */
export const pythonicCalls = pythonicWithin(null);

/** The same, which may stand between tokens. */
export const llama4PythonicCalls = pythonicWithin({ begin: '<|python_start|>', end: '<|python_end|>' });

function pythonicWithin(tokens: { begin: string; end: string } | null): ToolParser<State> {
  const { begin = '', end = '' } = tokens ?? {};
  const parser: ToolParser<State> = {
    needsSpecialTokens: tokens !== null,
    callSyntax: null,
    start: () => ({ place: 'undecided', held: '', calls: CALLS_START }),
    push(state, text) {
      if (state.place === 'content') return { piece: contentOf(text), state };
      if (state.place === 'calls') return readOn(state, text);
      const all = state.held + text;
      const list = all.startsWith(begin) ? all.slice(begin.length) : all;
      if (BEGINNING.test(list)) return readOn({ ...state, place: 'calls', held: '' }, list);
      const mayBegin = list === '' || MAY_BEGIN.test(list) || (all !== '' && begin.startsWith(all));
      if (mayBegin && all.length < LONGEST_BEGINNING) {
        return { piece: contentOf(''), state: { ...state, held: all } };
      }
      return { piece: contentOf(all), state: { ...state, place: 'content', held: '' } };
    },
    end: ({ held }) => contentOf(held),
    whole(text, tools) {
      const all = end !== '' && text.endsWith(end) ? text.slice(0, -end.length) : text;
      const { state } = parser.push(parser.start(), all, tools);
      const isList = state.place === 'calls' && state.calls.place === 'end' && state.calls.held === '';
      return isList ? wholeFrom(parser, all, tools) : { content: text, toolCalls: [] };
    },
  };
  return parser;
}

function readOn(state: State, text: string) {
  const pieces = new CallPieces();
  const calls = readCalls(state.calls, text, pieces);
  return { piece: pieces.piece, state: { ...state, calls } };
}

function contentOf(text: string): ToolPiece {
  return { content: text || null, toolCalls: [] };
}
