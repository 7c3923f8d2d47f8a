import { parse as parseLossless } from 'lossless-json';
import { valueFault } from '../errors.js';
import type { ContentFormat } from './settings.js';

/** A message as a request has it; JSON data whose numbers may be lossless-json's. */
export type WireMessage = Readonly<Record<string, unknown>>;

/** A message as a template sees it. */
export type TemplateMessage = Record<string, unknown>;

/** Kinds of parts that are text, and where it is. */
const TEXT_PARTS: Readonly<Record<string, string>> = {
  text: 'text',
  input_text: 'text',
  output_text: 'text',
  refusal: 'refusal',
  thinking: 'thinking',
};
const MEDIA_PARTS = [
  'image_url',
  'input_image',
  'image_pil',
  'image_embeds',
  'audio_url',
  'input_audio',
  'audio_embeds',
  'video_url',
  'video_embeds',
];

/**
 * Messages as templates take them: contents joined or as parts, tool arguments as objects, `developer` turns as
 * `system` where the template knows no such role. Throws a 400 that names the message.
 */
export function conversationOf(
  messages: readonly WireMessage[],
  format: ContentFormat,
  knowsDeveloper: boolean,
): TemplateMessage[] {
  const conversation = messages.map((message, at) => templateMessage(message, at, format));
  const hasDeveloper = conversation.some(({ role }) => role === 'developer');
  return hasDeveloper && !knowsDeveloper ? withoutDevelopers(conversation) : conversation;
}

function templateMessage(message: WireMessage, at: number, format: ContentFormat): TemplateMessage {
  const { role } = message;
  const result: TemplateMessage = { role, content: contentOf(message, at, format) };
  if (role === 'assistant') {
    const calls = toolCallsOf(message.tool_calls, at);
    if (calls) result.tool_calls = calls;
    const reasoning = message.reasoning ?? message.reasoning_content;
    // Templates read it under either name.
    if (reasoning != null) Object.assign(result, { reasoning, reasoning_content: reasoning });
  }
  if (role === 'tool' && 'tool_call_id' in message) result.tool_call_id = message.tool_call_id;
  if (typeof message.name === 'string') result.name = message.name;
  if (role === 'developer') result.tools = message.tools ?? null;
  return result;
}

function contentOf({ role, content }: WireMessage, at: number, format: ContentFormat): unknown {
  const parts = content == null ? [] : typeof content === 'string' ? [content] : (content as unknown[]);
  const texts = parts.flatMap((part) => textOf(part, at));
  if (format === 'openai' && role !== 'tool') return texts.map((text) => ({ type: 'text', text }));
  return texts.join('\n');
}

/** The text of a part; none for a text part without text. Throws a 400 for anything but text. */
function textOf(part: unknown, at: number): string[] {
  if (typeof part === 'string') return [part];
  const fields = part as Readonly<Record<string, unknown>>;
  const type = String(fields.type ?? MEDIA_PARTS.find((name) => name in fields) ?? 'text');
  const name = TEXT_PARTS[type];
  if (name !== undefined) return typeof fields[name] === 'string' ? [fields[name]] : [];
  if (type === 'tool_reference') return typeof fields.name === 'string' ? [fields.name] : [];
  if (MEDIA_PARTS.includes(type)) {
    throw valueFault(null, `This model reads text only: messages.${at} holds a part of type ${type}.`);
  }
  throw valueFault(
    'type',
    `messages.${at} holds a part of the unknown type "${type}". Texts have the type "text".`,
  );
}

/** Calls with their arguments as objects; null when there are none. */
function toolCallsOf(calls: unknown, at: number): TemplateMessage[] | null {
  if (!Array.isArray(calls) || calls.length === 0) return null;
  return calls.map((call: WireMessage) => {
    const { function: called, type = 'function' } = call;
    if (type !== 'function' || called === null || typeof called !== 'object') {
      throw valueFault('tool_calls', `messages.${at}: tool_calls must be of type "function".`);
    }
    const { arguments: sent } = called as WireMessage;
    return { ...call, function: { ...called, arguments: argumentsOf(sent, at) } };
  });
}

/** Nothing and "" are no arguments. Throws a 400 for anything that is not an object or the JSON of one. */
function argumentsOf(sent: unknown, at: number): object {
  const value = typeof sent === 'string' && sent !== '' ? parsed(sent) : sent;
  if (value === null || value === undefined || value === '') return {};
  if (typeof value === 'object' && !Array.isArray(value)) return value;
  throw valueFault(
    'tool_calls',
    `messages.${at}: the arguments of a tool call must be a JSON object, as an object or as its JSON text.`,
  );
}

function parsed(text: string): unknown {
  try {
    return parseLossless(text);
  } catch {
    return Number.NaN;
  }
}

function withoutDevelopers(conversation: readonly TemplateMessage[]): TemplateMessage[] {
  const renamed = conversation.map(({ tools, ...message }) =>
    message.role === 'developer' ? { ...message, role: 'system' } : message,
  );
  const isLate = renamed.some(({ role }, at) => role === 'system' && at > 0);
  if (!isLate) return renamed;
  const texts = renamed.flatMap(({ role, content }) => (role === 'system' ? joined(content) || [] : []));
  const others = renamed.filter(({ role }) => role !== 'system');
  return [{ role: 'system', content: texts.join('\n\n') }, ...others];
}

function joined(content: unknown): string {
  if (!Array.isArray(content)) return String(content);
  return content.map((part: { text: string }) => part.text).join('\n');
}
