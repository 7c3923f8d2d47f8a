import type { ControlApi } from '../../../generated/server/control.js';
import type { UpdateWeightsRequest } from '../../../generated/types.js';
import { type Config, OPTIONS } from '../../config.js';
import type { PauseMode } from '../../engine/index.js';
import { schemaFault } from '../../errors.js';
import { isBinary } from '../routing.js';
import { requireLoaded, type ServerState } from '../state.js';

/** Pausing and weights, for trainers. */
export function controlHandlers(state: ServerState): ControlApi {
  const engine = () => requireLoaded(state).engine;
  const updates = () => requireLoaded(state).updates;
  return {
    pause: async ({ request, reply }) => {
      const mode = (request.query.mode as PauseMode | undefined) ?? 'abort';
      await engine().pause(mode, request.query.clear_cache !== 'false');
      reply(200, { status: 'paused' });
    },
    resume: async ({ reply }) => {
      await engine().resume();
      reply(200, { status: 'resumed' });
    },
    isPaused: ({ reply }) => reply(200, { is_paused: engine().isPaused() }),
    weightInfo: ({ reply }) => reply(200, { weight_version: engine().weightVersion() }),
    updateWeightVersion: async ({ body, reply }) => {
      await engine().setWeightVersion(body.new_version);
      reply(200, { success: true, new_version: body.new_version });
    },
    startWeightUpdate: async ({ reply }) => {
      await updates().start();
      reply(200, { status: 'started' });
    },
    updateWeights: async ({ body, request, reply }) => {
      if (isBinary(request)) await updates().addUpload(request);
      else await updates().addPath(pathOf(body));
      reply(200, { status: 'loaded' });
    },
    finishWeightUpdate: async ({ body, reply }) => {
      await updates().finish(body?.weight_version ?? null);
      reply(200, { status: 'finished' });
    },
    resetPrefixCache: async ({ reply }) => {
      await engine().resetPrefixCache();
      reply(200, { success: true });
    },
    resetMmCache: ({ reply }) => reply(200, { success: true }),
    serverInfo: ({ reply }) => reply(200, { config: publicConfig(state.config) }),
    getWorldSize: ({ reply }) => reply(200, { world_size: engine().info.ranks }),
    isSleeping: ({ reply }) => reply(200, { is_sleeping: false }),
  };
}

function pathOf({ update_info: { path } }: UpdateWeightsRequest): string {
  if (typeof path === 'string' && path !== '') return path;
  throw schemaFault(
    'body.update_info.path',
    'update_info needs a path inside --weights-dir. To upload, send the file with Content-Type: application/octet-stream.',
  );
}

/** Every setting but the keys. */
function publicConfig(config: Config): Record<string, unknown> {
  const names = Object.keys(OPTIONS).filter((name) => name !== 'apiKey') as Array<keyof Config>;
  return Object.fromEntries([...names, 'model' as const].map((name) => [name, config[name]]));
}
