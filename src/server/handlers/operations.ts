import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { OperationContext } from '../../../generated/server/operation.js';
import type { OperationsApi } from '../../../generated/server/operations.js';
import type { ModelCard } from '../../../generated/types.js';
import { unavailable } from '../../errors.js';
import { packageRoot, version } from '../../package-info.js';
import type { ServerState } from '../state.js';

/** Liveness, models, metrics and the contract itself. */
export function operationsHandlers(state: ServerState): OperationsApi {
  const health = ({ response }: Pick<OperationContext<'health'>, 'response'>): void => {
    requireHealthy(state);
    response.status(200).end();
  };
  return {
    health,
    ping: health,
    pingPost: health,
    version: ({ reply }) => reply(200, { version }),
    load: ({ reply }) => reply(200, { server_load: state.inFlight.count }),
    listModels: ({ reply }) =>
      reply(200, { object: 'list', data: servedNames(state).map((id) => modelCard(id, state)) }),
    metrics: async ({ response }) => {
      const { registry } = state.metrics;
      response.type(registry.contentType).send(await registry.metrics());
    },
    openapiJson: ({ response }) => void response.json(state.contract.document),
    openapiYaml: async ({ response }) => {
      const yaml = await readFile(join(packageRoot, 'openapi.yaml'), 'utf8');
      response.type('application/yaml').send(yaml);
    },
  };
}

function requireHealthy({ config, text, loaded, shuttingDown }: ServerState): void {
  if (shuttingDown) throw unavailable('The server is shutting down.', null);
  if (config.renderOnly && text) return;
  if (!loaded) throw unavailable('The model is still loading.');
  if (loaded.engine.state !== 'ready') throw unavailable(`The engine is ${loaded.engine.state}.`);
}

function servedNames({ text }: ServerState): readonly string[] {
  return text?.render.servedModelNames ?? [];
}

function modelCard(id: string, { text, startedAt }: ServerState): ModelCard {
  return {
    id,
    object: 'model',
    created: startedAt,
    owned_by: 'tito',
    root: text?.source ?? id,
    parent: null,
    max_model_len: text?.render.maxModelLen ?? null,
    permission: [permission(id, startedAt)],
  };
}

function permission(id: string, created: number): Record<string, unknown> {
  return {
    id: `modelperm-${id}`,
    object: 'model_permission',
    created,
    allow_create_engine: false,
    allow_sampling: true,
    allow_logprobs: true,
    allow_search_indices: false,
    allow_view: true,
    allow_fine_tuning: false,
    organization: '*',
    group: null,
    is_blocking: false,
  };
}
