/**
 * The error catalogue: every error that a caller can be sent is made here, and nowhere else. Each maps to the
 * envelope `{"error": {message, type, param, code}}` with `code` equal to the HTTP status.
 */

export type ApiErrorType =
  | 'Bad Request'
  | 'BadRequestError'
  | 'invalid_request_error'
  | 'NotFoundError'
  | 'PermissionDeniedError'
  | 'ServiceUnavailableError'
  | 'InternalServerError'
  | 'RequestEntityTooLargeError';

/** An error with a place in the API: thrown anywhere, turned into the envelope by the server's last middleware. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  constructor(
    readonly status: number,
    readonly type: ApiErrorType,
    message: string,
    readonly param: string | null = null,
    /** Seconds, for the Retry-After header. */
    readonly retryAfter: number | null = null,
  ) {
    super(message);
  }
}

/** The body does not have the contract's shape; `param` is the dotted path of the place, such as `body.token_ids.0`. */
export const schemaFault = (param: string | null, message: string): ApiError =>
  new ApiError(400, 'Bad Request', message, param);

/** A value is of the right shape but can't be used; `param` is the field's name, or null. */
export const valueFault = (param: string | null, message: string): ApiError =>
  new ApiError(400, 'BadRequestError', message, param);

export const modelNotFound = (asked: string, served: readonly string[]): ApiError =>
  new ApiError(
    404,
    'NotFoundError',
    `The model \`${asked}\` does not exist. This server answers to: ${served.join(', ')}.`,
    'model',
  );

export const scaleOutDisabled = (): ApiError =>
  new ApiError(
    403,
    'PermissionDeniedError',
    'Scale-out endpoints are disabled. Restart tito serve with --enable-scale-out to enable them.',
  );

export const bodyTooLarge = (limit: string): ApiError =>
  new ApiError(413, 'RequestEntityTooLargeError', `The request body is larger than ${limit}.`);

/** Paused, full, starting or shutting down: the caller may try again. */
export const unavailable = (message: string, retryAfter: number | null = 1): ApiError =>
  new ApiError(503, 'ServiceUnavailableError', message, null, retryAfter);

/** Our fault. The message must hold nothing of the request and no stack. */
export const internal = (message = 'Internal server error'): ApiError =>
  new ApiError(500, 'InternalServerError', message);

/** A start-up problem the operator can fix: the CLI prints the message alone and exits with 1. */
export class StartupError extends Error {
  override readonly name = 'StartupError';
}
