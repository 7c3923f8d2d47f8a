import { Banner } from './components/banner.js';
import { Composer } from './components/composer.js';
import { Header } from './components/header.js';
import { KeyDialog } from './components/key-dialog.js';
import { Results } from './components/results.js';
import { ShortcutsDialog } from './components/shortcuts-dialog.js';
import { announced } from './state.js';

export function App() {
  return (
    <>
      <Header />
      <Banner />
      <main>
        <Composer />
        <Results />
      </main>
      <p role="status" class="visually-hidden">
        {announced.value}
      </p>
      <KeyDialog />
      <ShortcutsDialog />
    </>
  );
}
