import type { Tool } from '../../../../generated/types.js';
import type { Json, ParsedToolCall, ReasoningContext, ReasoningParser, ToolParser } from '../parser.js';

/** Larger than any parser's state, in characters of JSON. */
export const LARGEST_STATE = 15_000;

/** Ways to cut a text: not at all, each character by itself, and in two at every place. */
export function* cutsOf(text: string): Generator<string[]> {
  const characters = [...text];
  yield [text];
  yield characters;
  for (let at = 1; at < characters.length; at++) {
    yield [characters.slice(0, at).join(''), characters.slice(at).join('')];
  }
}

export interface Message {
  content: string | null;
  toolCalls: ParsedToolCall[];
}

/** The message that streamed pieces add up to, the state going through JSON between any two. */
export function streamedCalls(
  parser: ToolParser,
  pieces: readonly string[],
  tools: readonly Tool[],
): Message {
  let content = '';
  const calls: ParsedToolCall[] = [];
  let state = parser.start();
  const take = ({ content: said, toolCalls }: ReturnType<ToolParser['end']>) => {
    content += said ?? '';
    for (const { index, name, arguments: sent } of toolCalls) {
      if (name !== null) calls[index] = { name, arguments: '' };
      calls[index]!.arguments += sent ?? '';
    }
  };
  for (const text of pieces) {
    const step = parser.push(throughJson(state), text, tools);
    take(step.piece);
    state = step.state;
  }
  take(parser.end(throughJson(state), tools));
  return { content: content || null, toolCalls: calls };
}

/** The same of reasoning. */
export function streamedReasoning(
  parser: ReasoningParser,
  pieces: readonly string[],
  context: ReasoningContext,
): { reasoning: string | null; rest: string | null } {
  let [reasoning, rest] = ['', ''];
  let state = parser.start(context);
  const take = (piece: ReturnType<ReasoningParser['end']>) => {
    reasoning += piece.reasoning ?? '';
    rest += piece.rest ?? '';
  };
  for (const text of pieces) {
    const step = parser.push(throughJson(state), text);
    take(step.piece);
    state = step.state;
  }
  take(parser.end(throughJson(state)));
  return { reasoning: reasoning || null, rest: rest || null };
}

function throughJson(state: Json): Json {
  const json = JSON.stringify(state);
  if (json.length > LARGEST_STATE) throw new Error(`A state of ${json.length} characters.`);
  return JSON.parse(json) as Json;
}
