import type { ErrorRequestHandler } from 'express';
import type { Logger } from 'pino';
import type { ErrorResponse } from '../../generated/types.js';
import { ApiError, bodyTooLarge, internal, schemaFault } from '../errors.js';

/** The one way out for anything thrown: the error envelope. Faults of ours are logged, and tell nothing of the request. */
export function errorExit(log: Logger, maxBodyMiB: number): ErrorRequestHandler {
  return (error: unknown, request, response, next) => {
    const known = toApiError(error, maxBodyMiB);
    if (known.status === 500) log.error({ err: error, path: request.path }, known.message);
    if (response.headersSent) return next(error);
    if (known.retryAfter !== null) response.set('Retry-After', String(known.retryAfter));
    response.status(known.status).json(envelope(known));
  };
}

/** The envelope of an error, as a body and as a stream's error frame. */
export function envelope({ message, type, param, status }: ApiError): ErrorResponse {
  return { error: { message, type, param, code: status } };
}

/** Any error as one that callers may see. */
export function toApiError(error: unknown, maxBodyMiB: number): ApiError {
  if (error instanceof ApiError) return error;
  const { type, status } = error as { type?: string; status?: number };
  if (type === 'entity.too.large')
    return bodyTooLarge(`${maxBodyMiB} MiB. Raise --max-body-size to allow it`);
  if (status !== undefined && status >= 400 && status < 500) {
    return schemaFault(null, `The request can't be read: ${(error as Error).message}.`);
  }
  return internal();
}
