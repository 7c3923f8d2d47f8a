import { signal } from '@preact/signals';
import { busy, generates, showIds, start, stop } from './state.js';
import { nextTheme } from './theme.js';

const STORED = 'tito.single-keys';

/** Whether keys without a modifier do anything: people who dictate may want them off. */
export const singleKeys = signal(localStorage.getItem(STORED) !== 'off');

export function setSingleKeys(on: boolean): void {
  singleKeys.value = on;
  localStorage.setItem(STORED, on ? 'on' : 'off');
}

export const SHORTCUTS: readonly (readonly [keys: string, does: string])[] = [
  ['Ctrl or ⌘ + Enter', 'generate'],
  ['Ctrl or ⌘ + Shift + Enter', 'show the prompt’s tokens, without generating'],
  ['Esc', 'stop generating'],
  ['← → Home End', 'go from token to token, in a list of tokens'],
  ['/', 'go to the input'],
  ['i', 'show ids or texts'],
  ['t', 'light, dark, or as the system says'],
  ['?', 'this list'],
];

const SINGLE: Readonly<Record<string, () => void>> = {
  '/': () => document.querySelector<HTMLElement>('[data-first-input]')?.focus(),
  i: () => {
    showIds.value = !showIds.value;
  },
  t: nextTheme,
  '?': () => document.querySelector<HTMLDialogElement>('#shortcuts')?.showModal(),
};

/** Listen to the keys of the whole page. */
export function listenToKeys(): void {
  addEventListener('keydown', (event) => {
    if (document.querySelector('dialog[open]')) return;
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      void start(!event.shiftKey && generates.value);
    } else if (event.key === 'Escape' && busy.value) {
      stop();
    } else if (singleKeys.value && !isTyping(event)) {
      const act = SINGLE[event.key];
      if (!act) return;
      event.preventDefault();
      act();
    }
  });
}

function isTyping({ target, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  const inField = target instanceof HTMLElement && target.matches('input, textarea, select');
  return inField || ctrlKey || metaKey || altKey;
}
