import type { Tool } from '../../../generated/types.js';
import type { Json, ParsedToolCall, ToolParser } from './parser.js';

/** A whole output, read as a stream of one piece. */
export function wholeFrom<State extends Json>(
  parser: Pick<ToolParser<State>, 'start' | 'push' | 'end'>,
  text: string,
  tools: readonly Tool[],
): { content: string | null; toolCalls: ParsedToolCall[] } {
  const { piece, state } = parser.push(parser.start(), text, tools);
  const last = parser.end(state, tools);
  const toolCalls: ParsedToolCall[] = [];
  for (const { index, name, arguments: sent } of [...piece.toolCalls, ...last.toolCalls]) {
    if (name !== null) toolCalls[index] = { name, arguments: '' };
    toolCalls[index]!.arguments += sent ?? '';
  }
  return { content: (piece.content ?? '') + (last.content ?? '') || null, toolCalls };
}
