// Generated from openapi.yaml by `make generate`; do not edit.
import type { Router } from 'express';
import { mountRoutes, type OperationContext, type Route } from './operation.js';

/** One method for each operation of tag `operations`. */
export interface OperationsApi {
  /** GET /health: Whether the server can take requests */
  health(context: OperationContext<'health'>): void | Promise<void>;
  /** GET /v1/models: The models that this server answers to */
  listModels(context: OperationContext<'listModels'>): void | Promise<void>;
  /** GET /load: Requests in flight */
  load(context: OperationContext<'load'>): void | Promise<void>;
  /** GET /metrics: Prometheus metrics */
  metrics(context: OperationContext<'metrics'>): void | Promise<void>;
  /** GET /openapi.json: This contract, as JSON */
  openapiJson(context: OperationContext<'openapiJson'>): void | Promise<void>;
  /** GET /openapi.yaml: This contract, as YAML */
  openapiYaml(context: OperationContext<'openapiYaml'>): void | Promise<void>;
  /** GET /ping: The same as /health */
  ping(context: OperationContext<'ping'>): void | Promise<void>;
  /** POST /ping: The same as /health */
  pingPost(context: OperationContext<'pingPost'>): void | Promise<void>;
  /** GET /version: tito\'s version */
  version(context: OperationContext<'version'>): void | Promise<void>;
}

const routes: readonly Route<OperationsApi>[] = [
  { operationId: 'health', method: 'get', path: '/health' },
  { operationId: 'listModels', method: 'get', path: '/v1/models' },
  { operationId: 'load', method: 'get', path: '/load' },
  { operationId: 'metrics', method: 'get', path: '/metrics' },
  { operationId: 'openapiJson', method: 'get', path: '/openapi.json' },
  { operationId: 'openapiYaml', method: 'get', path: '/openapi.yaml' },
  { operationId: 'ping', method: 'get', path: '/ping' },
  { operationId: 'pingPost', method: 'post', path: '/ping' },
  { operationId: 'version', method: 'get', path: '/version' },
];

/** Route each operation of the tag to its handler. */
export function mountOperationsApi(router: Router, handlers: OperationsApi): void {
  mountRoutes(router, routes, handlers);
}
