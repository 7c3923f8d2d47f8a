import { CallPieces } from '../call-pieces.js';
import { firstMarker, undecided } from '../markers.js';
import type { CallSyntax, OwnCallSyntax, ToolParser, ToolPiece } from '../parser.js';
import { wholeFrom } from '../whole-from-stream.js';
import { OBJECTS_START, type ObjectsForm, type ObjectsState, readObjects } from './call-objects.js';

/** How a family marks calls that are JSON objects. */
export interface ObjectMarks {
  /** Any of them begins the calls; what is before is content, and nothing after them is. */
  markers: readonly string[];
  form: ObjectsForm;
  needsSpecialTokens: boolean;
  callSyntax: CallSyntax | OwnCallSyntax | null;
}

/** `objects` null: no marker was seen. `held`: what may be the beginning of one. */
export type MarkedState = Readonly<{ held: string; objects: ObjectsState | null }>;

/** Calls in a list of JSON objects after a marker. */
export function markedObjects(marks: ObjectMarks): ToolParser<MarkedState> {
  const { markers, form } = marks;
  const parser: ToolParser<MarkedState> = {
    needsSpecialTokens: marks.needsSpecialTokens,
    callSyntax: marks.callSyntax,
    start: () => ({ held: '', objects: null }),
    push(state, text) {
      const pieces = new CallPieces();
      if (state.objects) return stepOf(pieces, readObjects(state.objects, text, form, pieces));
      const all = state.held + text;
      const found = firstMarker(all, markers);
      if (found) {
        pieces.addContent(all.slice(0, found.at));
        return stepOf(pieces, readObjects(OBJECTS_START, all.slice(found.end), form, pieces));
      }
      const until = all.length - undecided(all, markers);
      pieces.addContent(all.slice(0, until));
      return { piece: pieces.piece, state: { held: all.slice(until), objects: null } };
    },
    end: ({ held }): ToolPiece => ({ content: held || null, toolCalls: [] }),
    whole(text, tools) {
      const { objects } = parser.push(parser.start(), text, tools).state;
      const isUnfinished = objects !== null && objects.place !== 'list';
      return isUnfinished ? { content: text, toolCalls: [] } : wholeFrom(parser, text, tools);
    },
  };
  return parser;
}

function stepOf(pieces: CallPieces, objects: ObjectsState) {
  return { piece: pieces.piece, state: { held: '', objects } };
}
