// Generated from openapi.yaml by `make generate`; do not edit.
import type { Router } from 'express';
import { mountRoutes, type OperationContext, type Route } from './operation.js';

/** One method for each operation of tag `completions`. */
export interface CompletionsApi {
  /** POST /v1/chat/completions: Render, generate and derender a chat in one call */
  chatCompletion(context: OperationContext<'chatCompletion'>): void | Promise<void>;
  /** POST /v1/completions: Tokenize, generate and detokenize a text in one call */
  completion(context: OperationContext<'completion'>): void | Promise<void>;
}

const routes: readonly Route<CompletionsApi>[] = [
  { operationId: 'chatCompletion', method: 'post', path: '/v1/chat/completions' },
  { operationId: 'completion', method: 'post', path: '/v1/completions' },
];

/** Route each operation of the tag to its handler. */
export function mountCompletionsApi(router: Router, handlers: CompletionsApi): void {
  mountRoutes(router, routes, handlers);
}
