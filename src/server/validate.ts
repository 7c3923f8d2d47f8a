import type { NextFunction, Request, RequestHandler, Response } from 'express';
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
 * write them into the body, and whether a field was sent has to be known; and without answers, whose schemas it would
 * compile at the start. What it finds about a path is kept: it would compile the patterns of all paths for each request.
 * Its last handler is the one that checks.
 */
export class Validator {
  readonly #known = new Map<Operation, unknown>();
  #handlers: Promise<readonly RequestHandler[]> | null = null;

  constructor(private readonly contract: Contract) {}

  /** Read the contract, if that was not done yet. It takes most of a second, so a server starts without. */
  prepare(): Promise<readonly RequestHandler[]> {
    this.#handlers ??= handlersFor(this.contract);
    return this.#handlers;
  }

  /** Checks requests of one operation. */
  of(operation: Operation): RequestHandler {
    return (request: Looked, response, next) => {
      this.prepare().then((handlers) => {
        const found = this.#known.get(operation);
        request.openapi = found;
        runAll(found ? handlers.slice(-1) : handlers, request, response, (error) => {
          this.#known.set(operation, request.openapi);
          next(error && this.#translate(error as ValidatorError, operation, request.body));
        });
      }, next);
    };
  }

  #translate(error: ValidatorError, { body }: Operation, value: unknown): unknown {
    const findings = error.errors?.map(({ path, message, errorCode }) => ({
      path,
      message,
      keyword: errorCode?.split('.')[0] ?? '',
    }));
    if (!findings?.length) return error;
    if (!body) return schemaFault(queryPlace(findings[0]!.path), error.message);
    const fault = faultOf(findings, { schema: body.schema, value }, this.contract);
    return body.faultsNameNoParam ? schemaFault(null, fault.message) : fault;
  }
}

async function handlersFor({ document }: Contract): Promise<readonly RequestHandler[]> {
  const { middleware } = await import('express-openapi-validator');
  return middleware({
    apiSpec: requestsOnly(document) as unknown as string,
    validateSecurity: false,
    validateRequests: { coerceTypes: false, allowUnknownQueryParameters: true },
    validateResponses: false,
    validateApiSpec: false,
    fileUploader: false,
    $refParser: { mode: 'bundle' },
  });
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

function requestsOnly(document: SpecObject): unknown {
  const paths = Object.entries(document.paths as Record<string, Record<string, SpecObject>>).map(
    ([path, operations]) => {
      const bare = Object.entries(operations).map(([method, operation]) => [
        method,
        { ...operation, responses: {} },
      ]);
      return [path, Object.fromEntries(bare)];
    },
  );
  return withoutDefaults({ ...document, paths: Object.fromEntries(paths) });
}

function withoutDefaults(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutDefaults);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value as SpecObject).filter(
    ([key, inner]) => key !== 'default' || (typeof inner === 'object' && inner !== null),
  );
  return Object.fromEntries(entries.map(([key, inner]) => [key, withoutDefaults(inner)]));
}
