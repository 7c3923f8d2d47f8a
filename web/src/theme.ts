import { signal } from '@preact/signals';

export type Theme = 'system' | 'light' | 'dark';

const STORED = 'tito.theme';
const ORDER: readonly Theme[] = ['system', 'light', 'dark'];

const stored = localStorage.getItem(STORED) as Theme | null;
export const theme = signal<Theme>(stored && ORDER.includes(stored) ? stored : 'system');
apply(theme.value);

/** The next of system, light and dark. */
export function nextTheme(): void {
  theme.value = ORDER[(ORDER.indexOf(theme.value) + 1) % ORDER.length]!;
  localStorage.setItem(STORED, theme.value);
  apply(theme.value);
}

function apply(chosen: Theme): void {
  if (chosen === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = chosen;
}
