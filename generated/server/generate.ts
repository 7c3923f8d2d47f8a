// Generated from openapi.yaml by `make generate`; do not edit.
import type { Router } from 'express';
import { mountRoutes, type OperationContext, type Route } from './operation.js';

/** One method for each operation of tag `generate`. */
export interface GenerateApi {
  /** POST /inference/v1/abort_requests: Abort requests by their ids */
  abortRequests(context: OperationContext<'abortRequests'>): void | Promise<void>;
  /** POST /abort_requests: Abort requests, at the path of older deployments */
  abortRequestsLegacy(context: OperationContext<'abortRequestsLegacy'>): void | Promise<void>;
  /** POST /inference/v1/generate: Generate token ids */
  generate(context: OperationContext<'generate'>): void | Promise<void>;
}

const routes: readonly Route<GenerateApi>[] = [
  { operationId: 'abortRequests', method: 'post', path: '/inference/v1/abort_requests' },
  { operationId: 'abortRequestsLegacy', method: 'post', path: '/abort_requests' },
  { operationId: 'generate', method: 'post', path: '/inference/v1/generate' },
];

/** Route each operation of the tag to its handler. */
export function mountGenerateApi(router: Router, handlers: GenerateApi): void {
  mountRoutes(router, routes, handlers);
}
