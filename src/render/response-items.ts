import type { ResponsesRequest } from '../../generated/types.js';
import { valueFault } from '../errors.js';

type Item = Exclude<ResponsesRequest['input'], string>[number];
type Turn = Record<string, unknown>;

/** Whether the last item is the beginning of an answer that is to be continued. */
export function isUnfinished(items: readonly Item[]): boolean {
  const last = items.at(-1);
  if (!last || !['message', 'reasoning'].includes(last.type ?? 'message')) return false;
  return last.status === 'in_progress' || last.status === 'incomplete';
}

/** Items as the turns of a chat: calls, reasoning and text of the assistant join one turn. Throws a 400. */
export function conversationFromItems(items: readonly Item[]): Turn[] {
  const turns: Turn[] = [];
  for (const item of items) {
    const previous = turns.at(-1)?.role === 'assistant' ? turns.at(-1)! : null;
    const turn = turnOf(item, previous);
    if (turn) turns.push(turn);
  }
  return turns;
}

/** A new turn; null when the item was added to the assistant turn before it. */
function turnOf(item: Item, previous: Turn | null): Turn | null {
  switch (item.type) {
    case 'function_call':
      return callTurn(item, previous);
    case 'function_call_output':
      return { role: 'tool', content: item.output ?? null, tool_call_id: item.call_id ?? null };
    case 'reasoning':
      return joinedTo(previous, 'reasoning', reasoningOf(item));
    default:
      return messageTurn(item, previous);
  }
}

function callTurn(item: Item, previous: Turn | null): Turn | null {
  const { call_id, name, arguments: sent } = item;
  const call = { id: call_id, type: 'function', function: { name, arguments: sent ?? '' } };
  if (!previous) return { role: 'assistant', tool_calls: [call] };
  previous.tool_calls = [...((previous.tool_calls as unknown[] | undefined) ?? []), call];
  return null;
}

function messageTurn(item: Item, previous: Turn | null): Turn | null {
  if (item.role === undefined) {
    throw valueFault('input', `input holds an item of the unsupported type "${String(item.type)}".`);
  }
  if (item.role !== 'assistant') return { ...item };
  const { content } = item;
  const text = typeof content === 'string' ? content : content?.[0]?.text;
  return text === undefined ? { ...item } : joinedTo(previous, 'content', text);
}

function reasoningOf({ content, summary }: Item): string {
  const [part] = typeof content === 'string' ? [{ text: content }] : (content ?? []);
  return part?.text ?? String(summary?.[0]?.text ?? '');
}

function joinedTo(previous: Turn | null, field: 'content' | 'reasoning', text: string): Turn | null {
  if (!previous || previous[field] != null) return { role: 'assistant', [field]: text };
  previous[field] = text;
  return null;
}
