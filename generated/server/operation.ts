// Copied from templates/operation.ts by `make generate`; do not edit.
import type { Request, Response, Router } from 'express';
import type { operations } from '../types.js';

export type OperationId = keyof operations;

type JsonOf<T> = T extends { content: { 'application/json': infer Body } } ? Body : never;
type Responses<Id extends OperationId> = operations[Id]['responses'];

/** The JSON request body of an operation, or undefined when it takes none. */
export type RequestBody<Id extends OperationId> = operations[Id] extends {
  requestBody?: infer Body | undefined;
}
  ? JsonOf<NonNullable<Body>>
  : undefined;

/** The JSON body of an operation's answer with this status. */
export type ResponseBody<Id extends OperationId, Status extends keyof Responses<Id>> = JsonOf<
  Responses<Id>[Status]
>;

/** What a handler is given: the validated body, and the means to answer. */
export interface OperationContext<Id extends OperationId> {
  readonly operationId: Id;
  readonly body: RequestBody<Id>;
  readonly request: Request;
  /** For streams and for answers without a body; JSON goes through `reply`. */
  readonly response: Response;
  /** Answer with JSON that has the contract's shape for this status. */
  reply<Status extends keyof Responses<Id> & number>(status: Status, body: ResponseBody<Id, Status>): void;
}

export interface Route<Handlers> {
  operationId: OperationId & keyof Handlers;
  method: 'get' | 'post';
  path: string;
}

type Handler = (context: OperationContext<OperationId>) => void | Promise<void>;

/** Route each operation to the handler of its name. Errors go to Express' error handler. */
export function mountRoutes<Handlers>(
  router: Router,
  routes: readonly Route<Handlers>[],
  handlers: Handlers,
): void {
  for (const { operationId, method, path } of routes) {
    const handler = (handlers[operationId] as Handler).bind(handlers);
    router[method](path, (request, response) => handler(contextOf(operationId, request, response)));
  }
}

function contextOf(
  operationId: OperationId,
  request: Request,
  response: Response,
): OperationContext<OperationId> {
  return {
    operationId,
    body: request.body as RequestBody<OperationId>,
    request,
    response,
    reply: (status, body) => sendJson(response, status, JSON.stringify(body)),
  };
}

/** Answer with a JSON text, without what Express looks up for bodies of any kind: a streamed derender is called for each token. */
export function sendJson(response: Response, status: number, json: string): void {
  response
    .writeHead(status, {
      'Content-Type': 'application/json; charset=utf-8',
      'Content-Length': Buffer.byteLength(json),
    })
    .end(json);
}
