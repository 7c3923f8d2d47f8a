import type { RenderApi } from '../../../generated/server/render.js';
import { renderChat } from '../../render/chat-request.js';
import { renderCompletion } from '../../render/completion-request.js';
import { renderMessage } from '../../render/messages-request.js';
import type { RenderHeaders } from '../../render/request-fields.js';
import { renderResponse } from '../../render/responses-request.js';
import { bodyWithExactNumbers } from '../exact-numbers.js';
import { requireRender, type ServerState } from '../state.js';
import { sendExact } from './send-exact.js';

type Request = Parameters<RenderApi['renderChat']>[0]['request'];

/** `/v1/…/render`: chats and texts to generate requests, with numbers as they were sent. */
export function renderHandlers(state: ServerState): RenderApi {
  const settings = () => requireRender(state);
  return {
    renderChat: async ({ request, response, body }) => {
      const exact = bodyWithExactNumbers(request, body);
      sendExact(response, await renderChat(exact, headersOf(request), settings()));
    },
    renderCompletion: async ({ request, response, body }) => {
      const exact = bodyWithExactNumbers(request, body);
      sendExact(response, await renderCompletion(exact, headersOf(request), settings()));
    },
    renderResponse: async ({ request, response, body }) => {
      const exact = bodyWithExactNumbers(request, body);
      sendExact(response, await renderResponse(exact, settings()));
    },
    renderMessage: async ({ request, response, body }) => {
      const exact = bodyWithExactNumbers(request, body);
      sendExact(response, await renderMessage(exact, headersOf(request), settings()));
    },
  };
}

function headersOf(request: Request): RenderHeaders {
  return { requestId: request.get('x-request-id') };
}
