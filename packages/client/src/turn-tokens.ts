import type { ChatCompletionRequest, ChatMessage } from '../../../generated/types.js';
import { UsageError } from './errors.js';

/** Ids of messages under the conversation's template and tools. */
export type Template = (
  messages: readonly ChatMessage[],
  how: Partial<ChatCompletionRequest>,
) => Promise<number[]>;

const QUESTION: ChatMessage = { role: 'user', content: 'a' };
const ANSWER: ChatMessage = { role: 'assistant', content: 'a' };

/** The ids that the template puts after an answer's text: the end of the turn, and what separates it from the next. */
export async function closingOf(template: Template): Promise<number[]> {
  const messages = [QUESTION, ANSWER];
  const open = await template(messages, { add_generation_prompt: false, continue_final_message: true });
  const closed = await template(messages, { add_generation_prompt: false });
  return rest(closed, open);
}

/**
 * The ids of new turns after a closed answer, up to where the next answer begins. They are found behind a short
 * stand-in of the conversation, so that a template which rewrites older turns can't rewrite these: the stand-in has the
 * answer's tool calls, since templates refuse results of calls that were never made.
 */
export async function continuationOf(
  template: Template,
  answer: ChatMessage,
  fresh: readonly ChatMessage[],
): Promise<number[]> {
  const { tool_calls } = answer;
  const stand = [QUESTION, tool_calls?.length ? { ...ANSWER, tool_calls } : ANSWER];
  const before = await template(stand, { add_generation_prompt: false });
  const after = await template([...stand, ...fresh], { add_generation_prompt: true });
  return rest(after, before);
}

/** What of `closing` the model has not written itself: it ends its turn with the first of these ids, unless it was cut. */
export function withoutOverlap(ids: readonly number[], closing: readonly number[]): readonly number[] {
  for (let length = Math.min(ids.length, closing.length); length > 0; length--) {
    const tail = ids.slice(-length);
    if (tail.every((id, at) => id === closing[at])) return closing.slice(length);
  }
  return closing;
}

function rest(longer: readonly number[], start: readonly number[]): number[] {
  if (start.some((id, at) => id !== longer[at])) {
    throw new UsageError(
      'The chat template changes earlier turns when one is added: its conversations cannot be extended by ids.',
    );
  }
  return longer.slice(start.length);
}
