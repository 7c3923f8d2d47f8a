import { useRef } from 'preact/hooks';
import { apiKey, setKey } from '../server.js';

export function openKeyDialog(): void {
  document.querySelector<HTMLDialogElement>('#key')?.showModal();
}

/** Where the key is entered. */
export function KeyDialog() {
  const input = useRef<HTMLInputElement>(null);
  return (
    <dialog id="key" aria-labelledby="key-title">
      <form method="dialog" onSubmit={() => setKey(input.current!.value.trim())}>
        <h2 id="key-title">API key</h2>
        <label>
          Key
          <input ref={input} type="password" autocomplete="off" class="mono" value={apiKey.value} />
        </label>
        <p class="note">Kept in this tab until it is closed. Sent to this server alone. Empty means none.</p>
        <div class="buttons">
          <button type="submit" class="primary">
            Use this key
          </button>
          <button
            type="button"
            class="secondary"
            onClick={(event) => event.currentTarget.closest('dialog')?.close()}
          >
            Cancel
          </button>
        </div>
      </form>
    </dialog>
  );
}
