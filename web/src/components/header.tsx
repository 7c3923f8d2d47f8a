import { type Ability, ability, apiKey, baseUrl, model, version } from '../server.js';
import { nextTheme, theme } from '../theme.js';
import { openKeyDialog } from './key-dialog.js';

const STATES: Readonly<Record<Ability, string>> = {
  unknown: 'connecting',
  unreachable: 'no answer',
  locked: 'needs an API key',
  off: 'token paths off',
  renders: 'renders only',
  generates: 'ready',
};

export function Header() {
  const state = ability.value;
  return (
    <header class="top">
      <h1>
        tito <span>playground</span>
      </h1>
      <p class="server">
        <span class={`dot ${state}`} aria-hidden="true" />
        {model.value && <strong>{model.value.name}</strong>}
        <span>{STATES[state]}</span>
        {model.value?.maxLength && (
          <span class="extra">{model.value.maxLength.toLocaleString('en')} tokens</span>
        )}
        {version.value && <span class="extra">v{version.value}</span>}
      </p>
      <nav aria-label="Page">
        <a href={`${baseUrl}/docs`}>API</a>
        <button type="button" class="quiet" onClick={openKeyDialog}>
          {apiKey.value ? 'Key set' : 'API key'}
        </button>
        <button type="button" class="quiet" onClick={nextTheme}>
          Theme: {theme.value}
        </button>
        <button
          type="button"
          class="quiet"
          aria-label="Keys"
          onClick={() => document.querySelector<HTMLDialogElement>('#shortcuts')?.showModal()}
        >
          ?
        </button>
      </nav>
    </header>
  );
}
