import { CallPieces } from './call-pieces.js';
import { OBJECTS_START, type ObjectsState, objectsForm, readObjects } from './listed/call-objects.js';
import type { ToolParser, ToolPiece } from './parser.js';
import { respelled } from './tagged/respelled-json.js';
import { wholeFrom } from './whole-from-stream.js';

/** Most of the white space before a forced call's arguments. */
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

const FORM = objectsForm(['parameters'], 'null');

/** Calls that have to be made, as a list in JSON that is all of the output: `[{"name": …, "parameters": …}, …]`. */
const listedJson: ToolParser<ObjectsState> = {
  needsSpecialTokens: false,
  callSyntax: null,
  start: () => OBJECTS_START,
  push(state, text) {
    const pieces = new CallPieces();
    return { state: readObjects(state, text, FORM, pieces), piece: pieces.piece };
  },
  end: () => NOTHING,
  whole(text, tools) {
    return isListOfCalls(text) ? wholeFrom(listedJson, text, tools) : { content: null, toolCalls: [] };
  },
};

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
