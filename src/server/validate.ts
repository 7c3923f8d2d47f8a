import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { middleware } from 'express-openapi-validator';
import { schemaFault } from '../errors.js';
import type { Contract, Operation, SpecObject } from './contract.js';
import { faultOf } from './schema-faults.js';

interface ValidatorError {
  status?: number;
  message: string;
  errors?: Array<{ path: string; message: string; errorCode?: string }>;
}

/** `openapi`: what express-openapi-validator found about the request's path. */
type Looked = Request & { openapi?: unknown };

/**
 * Check a request against openapi.yaml (express-openapi-validator). It gets a copy without defaults, since it would
 * write them into the body, and whether a field was sent has to be known. What it finds about a path is kept: it
 * would compile the patterns of all paths for each request. Its last handler is the one that checks.
 */
export function createValidator(contract: Contract): (operation: Operation) => RequestHandler {
  const handlers = middleware({
    apiSpec: withoutDefaults(contract.document) as unknown as string,
    validateSecurity: false,
    validateRequests: { coerceTypes: false, allowUnknownQueryParameters: true },
    validateResponses: false,
    validateApiSpec: false,
    fileUploader: false,
    $refParser: { mode: 'bundle' },
  });
  const known = new Map<Operation, unknown>();
  return (operation) => (request: Looked, response, next) => {
    const found = known.get(operation);
    request.openapi = found;
    runAll(found ? handlers.slice(-1) : handlers, request, response, (error) => {
      known.set(operation, request.openapi);
      next(error && translate(error as ValidatorError, operation, request.body));
    });
  };

  function translate(error: ValidatorError, { body }: Operation, value: unknown): unknown {
    const findings = error.errors?.map(({ path, message, errorCode }) => ({
      path,
      message,
      keyword: errorCode?.split('.')[0] ?? '',
    }));
    if (!findings?.length) return error;
    if (!body) return schemaFault(queryPlace(findings[0]!.path), error.message);
    const fault = faultOf(findings, { schema: body.schema, value }, contract);
    return body.faultsNameNoParam ? schemaFault(null, fault.message) : fault;
  }
}

function queryPlace(path: string): string {
  return path.split('/').filter(Boolean).join('.');
}

function runAll(
  handlers: readonly RequestHandler[],
  request: Request,
  response: Response,
  done: (error?: unknown) => void,
): void {
  const run = (index: number): void => {
    const handler = handlers[index];
    if (!handler) {
      done();
      return;
    }
    const next: NextFunction = (error?: unknown) => (error ? done(error) : run(index + 1));
    handler(request, response, next);
  };
  run(0);
}

function withoutDefaults(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutDefaults);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value as SpecObject).filter(
    ([key, inner]) => key !== 'default' || (typeof inner === 'object' && inner !== null),
  );
  return Object.fromEntries(entries.map(([key, inner]) => [key, withoutDefaults(inner)]));
}
