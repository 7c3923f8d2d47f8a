import { computed, signal } from '@preact/signals';
import { chatRequest, type Draft, idsRequest, type Role, type SamplingFields } from './form.js';
import type { Message } from './message.js';
import { type PlacedToken, Run, type SampledToken } from './run.js';
import { ability, client, vocabulary } from './server.js';
import type { Sent } from './snippets.js';

export type Mode = 'chat' | 'ids';
export type ListName = 'prompt' | 'output';

/** A token that is looked at. */
export interface Spot {
  readonly list: ListName;
  readonly index: number;
}

let nextKey = 0;
const draft = (role: Role, content = '', more: Partial<Draft> = {}): Draft => ({
  key: nextKey++,
  role,
  content,
  ...more,
});

export const mode = signal<Mode>('chat');
export const drafts = signal<readonly Draft[]>([draft('user', 'What is the capital of France?')]);
export const tools = signal('');
export const idsText = signal('504, 3575, 282, 4649, 314');
export const fields = signal<SamplingFields>({
  temperature: '0.7',
  topP: '',
  maxTokens: '128',
  seed: '',
  alternatives: '5',
  stop: '',
});

export const run = signal<Run | null>(null);
/** What can't be sent at all. */
export const formError = signal<unknown>(null);
export const showIds = signal(false);
export const hovered = signal<Spot | null>(null);
export const pinned = signal<Spot | null>(null);
/** Said to those who listen. */
export const announced = signal('');

export const error = computed(() => formError.value ?? run.value?.error.value ?? null);
export const busy = computed(() => ['rendering', 'generating'].includes(run.value?.phase.value ?? 'idle'));
export const generates = computed(() => !['renders', 'off'].includes(ability.value));

/** The token under the pointer, else the chosen one. */
export const inspected = computed<{ spot: Spot; token: PlacedToken | SampledToken } | null>(() => {
  const spot = hovered.value ?? pinned.value;
  const list = spot?.list === 'prompt' ? run.value?.prompt.value : run.value?.output.value;
  const token = spot && list?.[spot.index];
  return token ? { spot, token } : null;
});

/** What would be sent now. Throws a FieldError. */
export function toSend(): Sent {
  return mode.value === 'chat'
    ? { kind: 'chat', request: chatRequest(drafts.value, tools.value, fields.value) }
    : { kind: 'ids', request: idsRequest(idsText.value, fields.value) };
}

/** Send it; without `generating` the prompt alone is shown. */
export async function start(generating: boolean): Promise<void> {
  if (busy.value) return;
  formError.value = null;
  hovered.value = pinned.value = null;
  let sent: Sent;
  try {
    sent = toSend();
  } catch (thrown) {
    formError.value = thrown;
    return;
  }
  const next = new Run(client.value, vocabulary.value, sent);
  run.value = next;
  announced.value = generating ? 'Generating.' : 'Rendering.';
  await next.go(generating);
  announced.value = outcome(next, generating);
}

function outcome({ error, facts, prompt }: Run, generating: boolean): string {
  if (error.value) return '';
  const { tokens, finishReason } = facts.value;
  if (!generating) return `${prompt.value?.length ?? 0} tokens in the prompt.`;
  return `Finished: ${finishReason ?? 'stopped'}, ${tokens} tokens.`;
}

export function stop(): void {
  run.value?.stop();
}

export function setField(name: keyof SamplingFields, text: string): void {
  fields.value = { ...fields.value, [name]: text };
}

export function addDraft(): void {
  const last = drafts.value.at(-1)?.role;
  drafts.value = [...drafts.value, draft(last === 'user' ? 'assistant' : 'user')];
}

export function changeDraft(key: number, change: Partial<Draft>): void {
  drafts.value = drafts.value.map((old) => (old.key === key ? { ...old, ...change } : old));
}

export function removeDraft(key: number): void {
  drafts.value = drafts.value.filter((old) => old.key !== key);
}

/** Go on with the answer: it becomes a turn, with a turn for each of its calls to answer, or one for the user. */
export function takeOver({ content, reasoning, calls }: Message): void {
  const tool_calls = calls.map(({ id, name, arguments: given }) => ({
    id,
    type: 'function' as const,
    function: { name, arguments: given },
  }));
  const more = { ...(reasoning && { reasoning }), ...(tool_calls.length > 0 && { tool_calls }) };
  const next = calls.length > 0 ? calls.map(({ id }) => draft('tool', '', { callId: id })) : [draft('user')];
  drafts.value = [...drafts.value, draft('assistant', content, { more }), ...next];
}
