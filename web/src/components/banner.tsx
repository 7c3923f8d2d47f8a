import type { ComponentChildren } from 'preact';
import { type Ability, ability, connect } from '../server.js';
import { openKeyDialog } from './key-dialog.js';

const BANNERS: Partial<Record<Ability, () => ComponentChildren>> = {
  renders: () => (
    <>
      This is a render server: it has no model, so nothing can be generated here. “Show tokens” works, and its
      output can be sent to a server that generates.
    </>
  ),
  off: () => (
    <>
      The token paths of this server are off. Start it with <code>--enable-scale-out</code> to use this page.
    </>
  ),
  locked: () => (
    <>
      This server needs an API key.{' '}
      <button type="button" class="link" onClick={openKeyDialog}>
        Enter it
      </button>
    </>
  ),
  unreachable: () => (
    <>
      The server does not answer.{' '}
      <button type="button" class="link" onClick={() => void connect()}>
        Try again
      </button>
    </>
  ),
};

/** What keeps this page from working, if anything does. */
export function Banner() {
  const text = BANNERS[ability.value]?.();
  return <div role="status">{text && <p class="banner">{text}</p>}</div>;
}
