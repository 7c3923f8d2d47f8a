import express, { type Express } from 'express';
import { mountCompletionsApi } from '../../generated/server/completions.js';
import { mountControlApi } from '../../generated/server/control.js';
import { mountDerenderApi } from '../../generated/server/derender.js';
import { mountGenerateApi } from '../../generated/server/generate.js';
import { mountOperationsApi } from '../../generated/server/operations.js';
import { mountRenderApi } from '../../generated/server/render.js';
import { mountTokenizerApi } from '../../generated/server/tokenizer.js';
import { requireApiKey } from './auth.js';
import { availabilityOf } from './availability.js';
import { errorExit } from './error-exit.js';
import { abortRequests, abortRequestsLegacy } from './handlers/abort.js';
import { completionsHandlers } from './handlers/completions.js';
import { controlHandlers } from './handlers/control.js';
import { derenderHandlers } from './handlers/derender.js';
import { generate } from './handlers/generate.js';
import { operationsHandlers } from './handlers/operations.js';
import { renderHandlers } from './handlers/render.js';
import { tokenizerHandlers } from './handlers/tokenizer.js';
import { readBody } from './json-body.js';
import { pages } from './pages.js';
import { echoRequestId } from './request-id.js';
import { checkInput, findOperation } from './routing.js';
import type { ServerState } from './state.js';

/** The application: the path of every request, top to bottom. */
export function createApp(state: ServerState): Express {
  const { config, contract, log, validator } = state;
  const maxBodyMiB = config.maxBodySize ?? 1;
  const app = express();
  app.disable('x-powered-by').disable('etag').enable('strict routing').enable('case sensitive routing');

  app.use(echoRequestId);
  app.use(pages());
  app.use(requireApiKey(config.apiKey, controlPaths(state)));
  app.use(findOperation(contract.operations, (operation) => availabilityOf(operation, config)));
  app.use(checkInput(readBody(maxBodyMiB), validator));

  mountGenerateApi(app, {
    generate: (context) => generate(state, context),
    abortRequests: (context) => abortRequests(state, context),
    abortRequestsLegacy: (context) => abortRequestsLegacy(state, context),
  });
  mountOperationsApi(app, operationsHandlers(state));
  mountControlApi(app, controlHandlers(state));
  mountRenderApi(app, renderHandlers(state));
  mountDerenderApi(app, derenderHandlers(state));
  mountCompletionsApi(app, completionsHandlers(state));
  mountTokenizerApi(app, tokenizerHandlers(state));

  app.use(errorExit(log, maxBodyMiB));
  return app;
}

/** Paths that change how the server behaves need the key; `/abort_requests` of a tokens-only server does not. */
function controlPaths({ config, contract }: ServerState): string[] {
  const control = contract.operations.filter(({ tag }) => tag === 'control').map(({ path }) => path);
  return config.enableRlControl && !config.tokensOnly ? [...control, '/abort_requests'] : control;
}
