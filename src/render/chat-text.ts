import { valueFault } from '../errors.js';
import type { ChatTemplate } from '../text/chat-template.js';
import { conversationOf, type TemplateMessage, type WireMessage } from './conversation.js';
import type { Templates } from './settings.js';

/** A chat, and how its template is to be run. */
export interface Chat {
  messages: readonly WireMessage[];
  /** Tool definitions in the reference's order of fields; null = none. */
  tools: readonly unknown[] | null;
  addGenerationPrompt: boolean;
  continueFinalMessage: boolean;
  /** A template of the request. */
  template: string | null;
  /** Template variables, the request's over the server's. */
  variables: Readonly<Record<string, unknown>>;
}

/** Stands behind the text that is to be continued, to find it again in what the template made. */
const CONTINUE_HERE = 'CONTINUE_FINAL_MESSAGE_TAG ';

/** The text of a chat. Throws a 400 when there is no template, or when it fails. */
export function chatText(chat: Chat, templates: Templates): string {
  const template = templateFor(chat, templates);
  const format = templates.contentFormat ?? (template.wantsContentParts ? 'openai' : 'string');
  const messages = conversationOf(chat.messages, format, template.knowsDeveloper);
  const { tools, addGenerationPrompt, variables } = chat;
  if (!chat.continueFinalMessage) return template.render(messages, { tools, addGenerationPrompt, variables });
  markEnd(messages);
  return upToMark(template.render(messages, { tools, addGenerationPrompt, variables }));
}

function templateFor(chat: Chat, { own, compile, trustRequests }: Templates): ChatTemplate {
  if ((chat.template !== null || chat.variables.chat_template != null) && !trustRequests) {
    throw valueFault(
      null,
      'This server takes no chat templates from requests. Start it with --trust-request-chat-template to allow them.',
    );
  }
  for (const name of ['chat_template', 'tokenize']) {
    if (name in chat.variables) throw valueFault(null, `chat_template_kwargs can't hold ${name}.`);
  }
  if (chat.template !== null) return compile(chat.template);
  if (own) return own;
  throw valueFault(
    null,
    'This model brings no chat template. Start the server with --chat-template, or render completions.',
  );
}

function markEnd(messages: TemplateMessage[]): void {
  const last = messages.at(-1)!;
  const { content } = last;
  if (typeof content === 'string') {
    last.content = content + CONTINUE_HERE;
    return;
  }
  const part = (content as Array<{ text: string }>).at(-1);
  if (!part) throw valueFault(null, 'continue_final_message needs a final message with text.');
  part.text += CONTINUE_HERE;
}

function upToMark(text: string): string {
  const at = text.lastIndexOf(CONTINUE_HERE.trimEnd());
  if (at < 0) {
    throw valueFault(
      null,
      'continue_final_message: the chat template does not print the final message, so it can not be continued.',
    );
  }
  const isWhole = text.startsWith(CONTINUE_HERE, at);
  // A template that trims contents took the mark's space, and the spaces before the mark would have gone too.
  return isWhole ? text.slice(0, at) : text.slice(0, at).trimEnd();
}
