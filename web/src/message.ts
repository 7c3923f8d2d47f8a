import type { ChatCompletion, ChatCompletionChunk } from '../../generated/types.js';

export interface Call {
  readonly id: string;
  readonly name: string;
  /** JSON, or the beginning of it while it is streamed. */
  readonly arguments: string;
}

/** An assistant's message as far as it is known. */
export interface Message {
  readonly reasoning: string;
  readonly content: string;
  readonly calls: readonly Call[];
}

export const EMPTY: Message = { reasoning: '', content: '', calls: [] };

/** The message after one more piece of it. */
export function extended(message: Message, chunk: ChatCompletionChunk): Message {
  const delta = chunk.choices[0]?.delta;
  if (!delta) return message;
  const calls = [...message.calls];
  for (const piece of delta.tool_calls ?? []) {
    const at = piece.index ?? 0;
    const old = calls[at] ?? { id: '', name: '', arguments: '' };
    calls[at] = {
      id: piece.id ?? old.id,
      name: piece.function?.name ?? old.name,
      arguments: old.arguments + textOf(piece.function?.arguments),
    };
  }
  return {
    reasoning: message.reasoning + (delta.reasoning ?? ''),
    content: message.content + (delta.content ?? ''),
    calls,
  };
}

/** The message of a whole answer. */
export function messageOf(completion: ChatCompletion): Message {
  const message = completion.choices[0]?.message;
  return {
    reasoning: message?.reasoning ?? '',
    content: typeof message?.content === 'string' ? message.content : '',
    calls: (message?.tool_calls ?? []).map((call) => ({
      id: call.id ?? '',
      name: call.function?.name ?? '',
      arguments: textOf(call.function?.arguments),
    })),
  };
}

/** The contract lets arguments be JSON or an object; answers have JSON. */
function textOf(given: unknown): string {
  if (given == null) return '';
  return typeof given === 'string' ? given : JSON.stringify(given);
}

/** Arguments with a line for each field; as they are while they are not JSON yet. */
export function readable(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), null, 2);
  } catch {
    return json;
  }
}
