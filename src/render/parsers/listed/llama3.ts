import { CallPieces } from '../call-pieces.js';
import { callOf, parsedJson } from '../json-call.js';
import { scanValue, VALUE_START } from '../json-value.js';
import type { OwnCallSyntax, ParsedToolCall, ToolParser, ToolPiece } from '../parser.js';
import { argumentsSchema, schemaFormat, tagFormat, triggeredCalls } from '../tag-formats.js';
import { OBJECTS_START, type ObjectsState, objectsForm, readObjects } from './call-objects.js';

const TOKEN = '<|python_tag|>';
const KEYS = ['arguments', 'parameters'];
const FORM = objectsForm(KEYS, '{}');
/** What a call begins with, as far as it goes. */
const HEAD = '{"name":';

/** `undecided`: whether the output is calls at all. `held`: its beginning. */
type State = Readonly<{ place: 'undecided' | 'content' | 'calls'; held: string; objects: ObjectsState }>;

const SYNTAX: OwnCallSyntax = {
  format(asked) {
    const tags = asked.tools.map((tool) => {
      const begin = `{"name": "${tool.function.name}", "parameters": `;
      return tagFormat(begin, schemaFormat(argumentsSchema(tool)), '}');
    });
    if (asked.choice === 'named') return tags[0]!;
    return triggeredCalls('{"name": ', tags, asked, THINKING);
  },
};
const THINKING = ['<think>', '</think>'];

/**
 * Llama 3 and 4: `{"name": …, "parameters": …}`, after a token or not; several with semicolons between. An output is
 * calls or content. A whole one may have text around its calls, which is dropped, as in the reference.
 */
export const llama3Json: ToolParser<State> = {
  needsSpecialTokens: true,
  callSyntax: SYNTAX,
  start: () => ({ place: 'undecided', held: '', objects: OBJECTS_START }),
  push(state, text) {
    if (state.place === 'content') return { piece: contentOf(text), state };
    const all = state.held + text;
    const place = state.place === 'undecided' ? placeOf(all) : state.place;
    if (place === 'undecided') return { piece: contentOf(''), state: { ...state, held: all } };
    if (place === 'content') return { piece: contentOf(all), state: { ...state, place, held: '' } };
    const pieces = new CallPieces();
    const objects = readObjects(state.objects, all, FORM, pieces);
    return { piece: pieces.piece, state: { place, held: '', objects } };
  },
  end: ({ held }) => contentOf(held),
  whole(text) {
    const toolCalls = callsIn(text);
    return toolCalls ? { content: null, toolCalls } : { content: text || null, toolCalls: [] };
  },
};

function contentOf(text: string): ToolPiece {
  return { content: text || null, toolCalls: [] };
}

function placeOf(text: string): State['place'] {
  if (TOKEN.startsWith(text)) return 'undecided';
  if (text.startsWith(TOKEN)) return 'calls';
  const begun = text.slice(0, 2 * HEAD.length).replace(/\s/g, '');
  if (begun.startsWith(HEAD)) return 'calls';
  return HEAD.startsWith(begun) && text.length < 2 * HEAD.length ? 'undecided' : 'content';
}

/** Every object of the text as a call; null when there is none, or one is no call. */
function callsIn(text: string): ParsedToolCall[] | null {
  const calls: ParsedToolCall[] = [];
  for (let at = text.indexOf('{'); at >= 0; at = text.indexOf('{', at)) {
    const { length, ended } = scanValue(VALUE_START, text.slice(at));
    const call = ended ? callOf(parsedJson(text.slice(at, at + length)), KEYS) : null;
    if (!call) return null;
    calls.push(call);
    at += length;
  }
  return calls.length > 0 ? calls : null;
}
