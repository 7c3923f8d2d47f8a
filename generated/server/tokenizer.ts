// Generated from openapi.yaml by `make generate`; do not edit.
import type { Router } from 'express';
import { mountRoutes, type OperationContext, type Route } from './operation.js';

/** One method for each operation of tag `tokenizer`. */
export interface TokenizerApi {
  /** POST /detokenize: Token ids to text */
  detokenize(context: OperationContext<'detokenize'>): void | Promise<void>;
  /** POST /tokenize: A text or a chat to token ids */
  tokenize(context: OperationContext<'tokenize'>): void | Promise<void>;
}

const routes: readonly Route<TokenizerApi>[] = [
  { operationId: 'detokenize', method: 'post', path: '/detokenize' },
  { operationId: 'tokenize', method: 'post', path: '/tokenize' },
];

/** Route each operation of the tag to its handler. */
export function mountTokenizerApi(router: Router, handlers: TokenizerApi): void {
  mountRoutes(router, routes, handlers);
}
