// Generated from openapi.yaml by `make generate`; do not edit.
import type { Router } from 'express';
import { mountRoutes, type OperationContext, type Route } from './operation.js';

/** One method for each operation of tag `control`. */
export interface ControlApi {
  /** POST /finish_weight_update: Go over to the new weights */
  finishWeightUpdate(context: OperationContext<'finishWeightUpdate'>): void | Promise<void>;
  /** GET /get_world_size: Engine processes that take part in a weight update */
  getWorldSize(context: OperationContext<'getWorldSize'>): void | Promise<void>;
  /** GET /is_paused: Whether generating is paused */
  isPaused(context: OperationContext<'isPaused'>): void | Promise<void>;
  /** GET /is_sleeping: Whether the engine sleeps */
  isSleeping(context: OperationContext<'isSleeping'>): void | Promise<void>;
  /** POST /pause: Stop generating */
  pause(context: OperationContext<'pause'>): void | Promise<void>;
  /** POST /reset_mm_cache: Forget cached multimodal inputs */
  resetMmCache(context: OperationContext<'resetMmCache'>): void | Promise<void>;
  /** POST /reset_prefix_cache: Forget cached prefixes */
  resetPrefixCache(context: OperationContext<'resetPrefixCache'>): void | Promise<void>;
  /** POST /resume: Go on generating */
  resume(context: OperationContext<'resume'>): void | Promise<void>;
  /** GET /server_info: The settings in force */
  serverInfo(context: OperationContext<'serverInfo'>): void | Promise<void>;
  /** POST /start_weight_update: Begin a weight update */
  startWeightUpdate(context: OperationContext<'startWeightUpdate'>): void | Promise<void>;
  /** POST /update_weight_version: Set the label of the weights */
  updateWeightVersion(context: OperationContext<'updateWeightVersion'>): void | Promise<void>;
  /** POST /update_weights: Bring new weights */
  updateWeights(context: OperationContext<'updateWeights'>): void | Promise<void>;
  /** GET /weight_info: The label of the weights in use */
  weightInfo(context: OperationContext<'weightInfo'>): void | Promise<void>;
}

const routes: readonly Route<ControlApi>[] = [
  { operationId: 'finishWeightUpdate', method: 'post', path: '/finish_weight_update' },
  { operationId: 'getWorldSize', method: 'get', path: '/get_world_size' },
  { operationId: 'isPaused', method: 'get', path: '/is_paused' },
  { operationId: 'isSleeping', method: 'get', path: '/is_sleeping' },
  { operationId: 'pause', method: 'post', path: '/pause' },
  { operationId: 'resetMmCache', method: 'post', path: '/reset_mm_cache' },
  { operationId: 'resetPrefixCache', method: 'post', path: '/reset_prefix_cache' },
  { operationId: 'resume', method: 'post', path: '/resume' },
  { operationId: 'serverInfo', method: 'get', path: '/server_info' },
  { operationId: 'startWeightUpdate', method: 'post', path: '/start_weight_update' },
  { operationId: 'updateWeightVersion', method: 'post', path: '/update_weight_version' },
  { operationId: 'updateWeights', method: 'post', path: '/update_weights' },
  { operationId: 'weightInfo', method: 'get', path: '/weight_info' },
];

/** Route each operation of the tag to its handler. */
export function mountControlApi(router: Router, handlers: ControlApi): void {
  mountRoutes(router, routes, handlers);
}
