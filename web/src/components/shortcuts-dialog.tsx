import { SHORTCUTS, setSingleKeys, singleKeys } from '../keys.js';

/** The keys, and whether those without a modifier count. */
export function ShortcutsDialog() {
  return (
    <dialog id="shortcuts" aria-labelledby="shortcuts-title">
      <form method="dialog">
        <h2 id="shortcuts-title">Keys</h2>
        <dl class="keys">
          {SHORTCUTS.map(([keys, does]) => (
            <div key={keys}>
              <dt>
                <kbd>{keys}</kbd>
              </dt>
              <dd>{does}</dd>
            </div>
          ))}
        </dl>
        <label class="switch">
          <input
            type="checkbox"
            checked={singleKeys.value}
            onChange={(event) => setSingleKeys(event.currentTarget.checked)}
          />
          keys without Ctrl or ⌘
        </label>
        <div class="buttons">
          <button type="submit" class="primary">
            Close
          </button>
        </div>
      </form>
    </dialog>
  );
}
