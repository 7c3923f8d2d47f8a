import { computed, signal } from '@preact/signals';
import { ApiError, Tito } from '@titokens/client';
import { Vocabulary } from './vocabulary.js';

/** What the server can do for this page, as far as is known. */
export type Ability = 'unknown' | 'unreachable' | 'locked' | 'off' | 'renders' | 'generates';

const KEY = 'tito.api-key';

/** Where the server is: this page's own, below whatever path a proxy puts it at. */
export const baseUrl = location.origin + location.pathname.replace(/\/playground$/, '');

/** Kept until the tab is closed, and sent to this server alone. */
export const apiKey = signal(sessionStorage.getItem(KEY) ?? '');
export const ability = signal<Ability>('unknown');
export const model = signal<{ name: string; maxLength: number | null } | null>(null);
export const version = signal('');

export const client = computed(
  () => new Tito({ baseUrl, retries: 0, ...(apiKey.value && { apiKey: apiKey.value }) }),
);
export const vocabulary = computed(() => new Vocabulary(client.value));

/** Use another key, or none. */
export function setKey(key: string): void {
  if (key) sessionStorage.setItem(KEY, key);
  else sessionStorage.removeItem(KEY);
  apiKey.value = key;
  void connect();
}

/** Ask the server what it is. */
export async function connect(): Promise<void> {
  try {
    const told = await client.value.http.GET('/version');
    version.value = told.data?.version ?? '';
    ability.value = await abilityOf(client.value);
    const card = (await client.value.models()).data[0];
    model.value = card ? { name: card.id, maxLength: card.max_model_len ?? null } : null;
  } catch (error) {
    if (!(error instanceof ApiError)) ability.value = 'unreachable';
  }
}

/** Aborting nothing changes nothing, and is answered by servers that generate only. */
async function abilityOf(client: Tito): Promise<Ability> {
  try {
    await client.abort([]);
    return 'generates';
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.status === 401) return 'locked';
    if (error.status === 403) return 'off';
    return error.status === 404 ? 'renders' : 'generates';
  }
}
