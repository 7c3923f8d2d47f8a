// Generated from openapi.yaml by `make generate`; do not edit.
import type { Router } from 'express';
import { mountRoutes, type OperationContext, type Route } from './operation.js';

/** One method for each operation of tag `derender`. */
export interface DerenderApi {
  /** POST /v1/chat/completions/derender: A generate answer to a chat message, whole or one chunk at a time */
  derenderChat(context: OperationContext<'derenderChat'>): void | Promise<void>;
  /** POST /v1/completions/derender: Generate answers to a text completion, whole or one chunk at a time */
  derenderCompletion(context: OperationContext<'derenderCompletion'>): void | Promise<void>;
}

const routes: readonly Route<DerenderApi>[] = [
  { operationId: 'derenderChat', method: 'post', path: '/v1/chat/completions/derender' },
  { operationId: 'derenderCompletion', method: 'post', path: '/v1/completions/derender' },
];

/** Route each operation of the tag to its handler. */
export function mountDerenderApi(router: Router, handlers: DerenderApi): void {
  mountRoutes(router, routes, handlers);
}
