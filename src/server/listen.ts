import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Config } from '../config.js';
import { StartupError } from '../errors.js';
import { createLog } from '../observe/log.js';
import { Metrics } from '../observe/metrics.js';
import { createApp } from './app.js';
import { Contract } from './contract.js';
import { InFlight } from './in-flight.js';
import { loadEngine, loadTextOnly } from './load-model.js';
import type { ServerState } from './state.js';
import { Validator } from './validate.js';

const HEADERS_TIMEOUT_MS = 30_000;
const KEEP_ALIVE_TIMEOUT_MS = 75_000;
const WARM_UP_AFTER_MS = 100;
/** Time for answers to be written after their requests were aborted. */
const LAST_WORDS_MS = 2_000;

/**
 * Serve until SIGTERM or SIGINT. The port is open at once and `/health` answers 503 until the model is ready.
 * Rejects with a StartupError when the port or the model can't be had.
 */
export async function serve(config: Config): Promise<void> {
  const state = createState(config);
  const server = createServer(createApp(state));
  server.headersTimeout = HEADERS_TIMEOUT_MS;
  server.keepAliveTimeout = KEEP_ALIVE_TIMEOUT_MS;
  server.requestTimeout = 0;
  await open(server, config);
  const { address, port } = server.address() as AddressInfo;
  state.log.info({ address: `http://${address}:${port}` }, 'listening');
  const stopped = stopOnSignal(server, state);
  try {
    await load(state);
  } catch (error) {
    server.close();
    server.closeAllConnections();
    throw error;
  }
  await stopped;
}

async function load(state: ServerState): Promise<void> {
  const { config, log } = state;
  if (config.renderOnly) {
    state.text = await loadTextOnly(config);
    log.info({ model: state.text.source }, 'ready to render');
    // A moment later, so that who waits for the server hears of it first.
    setTimeout(() => void state.validator.prepare(), WARM_UP_AFTER_MS).unref();
    return;
  }
  state.loaded = await loadEngine(config, log, (text) => {
    state.text = text;
    void state.validator.prepare();
  });
}

function createState(config: Config): ServerState {
  const log = createLog(config.logLevel);
  const contract = new Contract();
  const state: ServerState = {
    config,
    contract,
    validator: new Validator(contract),
    log,
    metrics: new Metrics(
      config.servedModelName[0] ?? config.model ?? 'default',
      () => state.loaded?.engine ?? null,
    ),
    inFlight: new InFlight(),
    startedAt: Math.floor(Date.now() / 1000),
    text: null,
    loaded: null,
    shuttingDown: false,
  };
  return state;
}

async function open(server: Server, { host, port }: Config): Promise<void> {
  server.listen(port ?? 0, host);
  try {
    await once(server, 'listening');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const hint = code === 'EADDRINUSE' ? 'another program uses it; choose another with --port' : code;
    throw new StartupError(`Can't listen on ${host}:${port}: ${hint}.`);
  }
}

/** Stop admitting, let running requests finish for a while, abort the rest, close. */
function stopOnSignal(server: Server, state: ServerState): Promise<void> {
  return new Promise((resolve) => {
    let stopping = false;
    const stop = async (signal: NodeJS.Signals): Promise<void> => {
      if (stopping) return process.exit(1);
      stopping = true;
      state.shuttingDown = true;
      state.log.info({ signal, inFlight: state.inFlight.count }, 'shutting down');
      if (!state.loaded && !state.config.renderOnly) process.exit(0);
      server.close();
      await state.loaded?.engine.close((state.config.shutdownTimeout ?? 0) * 1000);
      const deadline = Date.now() + LAST_WORDS_MS;
      while (state.inFlight.count > 0 && Date.now() < deadline)
        await new Promise((wake) => setTimeout(wake, 5));
      server.closeAllConnections();
      await state.loaded?.settings.grammars?.close();
      await state.loaded?.updates.close();
      await state.text?.render.text?.encoder.close();
      resolve();
    };
    process.on('SIGTERM', stop);
    process.on('SIGINT', stop);
  });
}
