import type { NextFunction, Request, RequestHandler, Response } from 'express';
import type { NotFoundDetail } from '../../generated/types.js';
import { ApiError, scaleOutDisabled, schemaFault } from '../errors.js';
import type { Operation } from './contract.js';
import { parseJsonBody } from './json-body.js';
import type { Validator } from './validate.js';

/** Whether a server has an operation, refuses it for want of a flag, or does not know it. */
export type Availability = 'on' | 'disabled' | 'absent';

/**
 * Find the operation of a request: 404 for an unknown path, 405 for another method, 403 when a flag is missing.
 * The operation is left at `response.locals`.
 */
export function findOperation(
  operations: readonly Operation[],
  availability: (operation: Operation) => Availability,
): RequestHandler {
  const known = operations.filter((operation) => availability(operation) !== 'absent');
  return (request: Request, response: Response, next: NextFunction) => {
    const atPath = known.filter(({ path }) => path === request.path);
    if (atPath.length === 0) return refuse(response, 404, 'Not Found');
    const method = request.method === 'HEAD' ? 'get' : request.method.toLowerCase();
    const operation = atPath.find((candidate) => candidate.method === method);
    if (!operation) return refuse(response, 405, 'Method Not Allowed');
    if (availability(operation) === 'disabled') throw scaleOutDisabled();
    response.locals.operation = operation;
    next();
  };
}

function refuse(response: Response, status: number, detail: string): void {
  const body: NotFoundDetail = { detail };
  response.status(status).json(body);
}

/** Parse the body of operations that take one, and validate what was sent. */
export function checkInput(read: RequestHandler, validator: Validator): RequestHandler {
  return (request, response, next) => {
    const operation = response.locals.operation as Operation;
    const { body, takesQuery, takesFile } = operation;
    // The handler reads a file as it comes.
    if (takesFile && isBinary(request)) return next();
    if (!body) return takesQuery ? validator.of(operation)(request, response, next) : next();
    read(request, response, (error?: unknown) => {
      if (error) return next(error);
      const isEmpty = !Buffer.isBuffer(request.body) || request.body.length === 0;
      if (isEmpty && !body.required) {
        request.body = undefined;
        return next();
      }
      try {
        parseJsonBody(request, response, () => validator.of(operation)(request, response, next));
      } catch (fault) {
        next(body.faultsNameNoParam && fault instanceof ApiError ? schemaFault(null, fault.message) : fault);
      }
    });
  };
}

/** Whether a request brings a file rather than JSON. */
export function isBinary(request: Request): boolean {
  return request.get('content-type')?.split(';')[0]?.trim().toLowerCase() === 'application/octet-stream';
}
