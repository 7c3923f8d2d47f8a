/**
 * What the client throws. Every error is a `TitoError`; an answer of the server with a status of 400 or more is an
 * `ApiError`, of the class that its status has.
 */

export class TitoError extends Error {
  override readonly name: string = 'TitoError';
}

/** No connection, or one that ended before the answer did. */
export class ConnectionError extends TitoError {
  override readonly name = 'ConnectionError';
}

/** The server was silent for longer than `timeoutMs`. */
export class TimeoutError extends TitoError {
  override readonly name = 'TimeoutError';
}

/** Used in a way that can't work, or against a server that lacks what was asked for. */
export class UsageError extends TitoError {
  override readonly name = 'UsageError';
}

/** What the server says of an error; fields that it left out are null. */
export interface ErrorDetails {
  readonly message: string;
  readonly type: string | null;
  readonly param: string | null;
  readonly code: number | null;
}

/** The server's own refusal or failure. */
export class ApiError extends TitoError {
  override readonly name: string = 'ApiError';
  readonly type: string | null;
  /** The field at fault, or null. */
  readonly param: string | null;
  readonly code: number | null;

  constructor(
    readonly status: number,
    details: ErrorDetails,
    /** The `X-Request-Id` of the answer, for a look into the server's log. */
    readonly requestId: string | null = null,
    /** What `Retry-After` asks for, in milliseconds. */
    readonly retryAfterMs: number | null = null,
  ) {
    super(details.message);
    this.type = details.type;
    this.param = details.param;
    this.code = details.code;
  }
}

export class BadRequestError extends ApiError {
  override readonly name = 'BadRequestError';
}
export class AuthenticationError extends ApiError {
  override readonly name = 'AuthenticationError';
}
export class PermissionDeniedError extends ApiError {
  override readonly name = 'PermissionDeniedError';
}
export class NotFoundError extends ApiError {
  override readonly name = 'NotFoundError';
}
/** Paused, full, loading or shutting down: the same request may pass later. */
export class UnavailableError extends ApiError {
  override readonly name = 'UnavailableError';
}
export class ServerError extends ApiError {
  override readonly name = 'ServerError';
}

const CLASSES: Readonly<Record<number, typeof ApiError>> = {
  400: BadRequestError,
  401: AuthenticationError,
  403: PermissionDeniedError,
  404: NotFoundError,
  503: UnavailableError,
};

/** The error of an answer; `body` is its parsed JSON, or its text. */
export function errorOf(
  status: number,
  body: unknown,
  requestId: string | null,
  retryAfterMs: number | null = null,
): ApiError {
  const Class = CLASSES[status] ?? (status >= 500 ? ServerError : ApiError);
  return new Class(status, detailsOf(status, body), requestId, retryAfterMs);
}

/** Servers have three shapes: the envelope, `{"error": "Unauthorized"}` and `{"detail"}`; a proxy may send any text. */
function detailsOf(status: number, body: unknown): ErrorDetails {
  const error = field(body, 'error');
  const message = field(error, 'message') ?? error ?? field(body, 'detail') ?? body;
  const param = field(error, 'param');
  const code = field(error, 'code');
  const type = field(error, 'type');
  return {
    message: typeof message === 'string' && message !== '' ? message : `The server answered ${status}.`,
    type: typeof type === 'string' ? type : null,
    param: typeof param === 'string' ? param : null,
    code: typeof code === 'number' ? code : null,
  };
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}
