import type { DerenderApi } from '../../../generated/server/derender.js';
import { derenderChat } from '../../render/derender/chat.js';
import { derenderChatChunk } from '../../render/derender/chat-chunk.js';
import { derenderCompletion } from '../../render/derender/completion.js';
import { derenderCompletionChunk } from '../../render/derender/completion-chunk.js';
import { requireRender, type ServerState } from '../state.js';

/** `/v1/…/derender`: generate answers to messages and texts, whole or one chunk at a time. */
export function derenderHandlers(state: ServerState): DerenderApi {
  return {
    derenderChat: ({ body, reply }) => {
      const settings = requireRender(state);
      reply(200, body.stream ? derenderChatChunk(body, settings) : derenderChat(body, settings));
    },
    derenderCompletion: ({ body, reply }) => {
      const settings = requireRender(state);
      reply(200, body.stream ? derenderCompletionChunk(body, settings) : derenderCompletion(body, settings));
    },
  };
}
