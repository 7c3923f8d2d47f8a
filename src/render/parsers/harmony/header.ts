/** What a message is to the chat, by its channel and recipient. */
export type MessageKind = 'reasoning' | 'content' | 'call' | 'ignored';

/** A message's header, as far as it matters. */
export interface Header {
  kind: MessageKind;
  /** The function that is called; empty for other messages. */
  name: string;
  /** Whether a call's arguments are JSON, as they are unless the header says something else. */
  isJson: boolean;
}

const CHANNEL = /<\|channel\|>([^\s<]*)/;
const CONSTRAIN = '<|constrain|>';
const FUNCTIONS = 'functions.';
const BUILT_IN = ['python', 'browser', 'container'];

/**
 * Read the text before `<|message|>`: a role, `<|channel|>` and its name, and a recipient and a content type, in
 * that order. Null when it is not well-formed.
 */
export function readHeader(text: string, needsRole: boolean): Header | null {
  const channel = CHANNEL.exec(text);
  if (channel?.[1] === '') return null;
  const others = text.replace(CHANNEL, '').replaceAll(CONSTRAIN, ` ${CONSTRAIN}`).trim();
  const parts = others.split(/\s+/).filter((part) => part !== '');
  const role = isRole(parts[0]) ? parts.shift()! : null;
  if (role === null && needsRole) return null;
  const type = hasType(parts) ? parts.pop()! : null;
  const recipient = parts.pop()?.replace(/^to=/, '') ?? null;
  if (parts.length > 0) return null;
  const kind = (role ?? 'assistant') === 'assistant' ? kindOf(channel?.[1] ?? null, recipient) : 'ignored';
  return {
    kind,
    name: kind === 'call' ? withoutNamespace(recipient!) : '',
    isJson: type === null || type.includes('json'),
  };
}

function isRole(part: string | undefined): boolean {
  return part !== undefined && ['assistant', 'user', 'system', 'developer', 'tool'].includes(part);
}

/** The last part is a content type, unless it says that it is the recipient or stands alone. */
function hasType(parts: readonly string[]): boolean {
  const last = parts.at(-1);
  if (last === undefined || last.startsWith('to=')) return false;
  return parts.length > 1 || last.startsWith(CONSTRAIN);
}

function kindOf(channel: string | null, recipient: string | null): MessageKind {
  if (recipient !== null && isFunction(recipient)) return 'call';
  if (channel === 'analysis') return 'reasoning';
  return channel === 'final' || (channel === 'commentary' && recipient === null) ? 'content' : 'ignored';
}

function isFunction(recipient: string): boolean {
  if (recipient.startsWith(FUNCTIONS)) return recipient.length > FUNCTIONS.length;
  if (recipient === '' || recipient === 'assistant' || recipient.startsWith('<|')) return false;
  return !BUILT_IN.includes(recipient.split('.', 1)[0]!);
}

function withoutNamespace(recipient: string): string {
  return recipient.startsWith(FUNCTIONS) ? recipient.slice(FUNCTIONS.length) : recipient;
}
