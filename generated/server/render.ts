// Generated from openapi.yaml by `make generate`; do not edit.
import type { Router } from 'express';
import { mountRoutes, type OperationContext, type Route } from './operation.js';

/** One method for each operation of tag `render`. */
export interface RenderApi {
  /** POST /v1/chat/completions/render: A chat to a generate request */
  renderChat(context: OperationContext<'renderChat'>): void | Promise<void>;
  /** POST /v1/completions/render: Texts or ids to generate requests */
  renderCompletion(context: OperationContext<'renderCompletion'>): void | Promise<void>;
  /** POST /v1/messages/render: A Messages request to a generate request */
  renderMessage(context: OperationContext<'renderMessage'>): void | Promise<void>;
  /** POST /v1/responses/render: A Responses request to a generate request */
  renderResponse(context: OperationContext<'renderResponse'>): void | Promise<void>;
}

const routes: readonly Route<RenderApi>[] = [
  { operationId: 'renderChat', method: 'post', path: '/v1/chat/completions/render' },
  { operationId: 'renderCompletion', method: 'post', path: '/v1/completions/render' },
  { operationId: 'renderMessage', method: 'post', path: '/v1/messages/render' },
  { operationId: 'renderResponse', method: 'post', path: '/v1/responses/render' },
];

/** Route each operation of the tag to its handler. */
export function mountRenderApi(router: Router, handlers: RenderApi): void {
  mountRoutes(router, routes, handlers);
}
