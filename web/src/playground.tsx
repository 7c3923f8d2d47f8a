import { render } from 'preact';
import { App } from './app.js';
import { listenToKeys } from './keys.js';
import { connect } from './server.js';

render(<App />, document.getElementById('app')!);
listenToKeys();
void connect();
