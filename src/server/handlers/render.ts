import { stringify } from 'lossless-json';
import { sendJson } from '../../../generated/server/operation.js';
import type { RenderApi } from '../../../generated/server/render.js';
import { renderChat } from '../../render/chat-request.js';
import { renderCompletion } from '../../render/completion-request.js';
import { renderMessage } from '../../render/messages-request.js';
import type { RenderHeaders } from '../../render/request-fields.js';
import { renderResponse } from '../../render/responses-request.js';
import { bodyWithExactNumbers } from '../exact-numbers.js';
import { requireRender, type ServerState } from '../state.js';

type Context = Pick<Parameters<RenderApi['renderChat']>[0], 'request' | 'response'>;

/** `/v1/…/render`: chats and texts to generate requests, with numbers as they were sent. */
export function renderHandlers(state: ServerState): RenderApi {
  const settings = () => requireRender(state);
  return {
    renderChat: (context) =>
      answer(context, context.body, (body) => renderChat(body, headersOf(context), settings())),
    renderCompletion: (context) =>
      answer(context, context.body, (body) => renderCompletion(body, headersOf(context), settings())),
    renderResponse: (context) => answer(context, context.body, (body) => renderResponse(body, settings())),
    renderMessage: (context) =>
      answer(context, context.body, (body) => renderMessage(body, headersOf(context), settings())),
  };
}

/** Only numbers that were read exactly need the slower writer. */
async function answer<Body extends object>(
  { request, response }: Context,
  body: Body,
  render: (body: Body) => Promise<object>,
): Promise<void> {
  const exact = bodyWithExactNumbers(request, body);
  const rendered = await render(exact);
  sendJson(response, 200, exact === body ? JSON.stringify(rendered) : stringify(rendered)!);
}

function headersOf({ request }: Context): RenderHeaders {
  return { requestId: request.get('x-request-id') };
}
