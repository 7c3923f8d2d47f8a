export interface ClientOptions {
  /** Where the server is, such as `http://localhost:8000`. */
  baseUrl: string;
  /** Sent as `Authorization: Bearer …`. */
  apiKey?: string;
  /** In place of the platform's own, for proxies, tracing and tests. */
  fetch?: (request: Request) => Promise<Response>;
  /** Sent with each request. */
  headers?: Readonly<Record<string, string>>;
  /** How often a request is tried again while nothing of its answer was given out. Default: 2. */
  retries?: number;
  /** Longest wait for a whole answer and, in a stream, for its next bytes, in milliseconds. Default: none. */
  timeoutMs?: number;
  /** How long an aborted request may take to hand over what it has, in milliseconds. Default: 2000. */
  abortGraceMs?: number;
}

export interface CallOptions {
  /** Ends the request here and at the server, which is told its id. */
  signal?: AbortSignal;
  /** In place of the client's. */
  timeoutMs?: number;
  /** In place of the client's. */
  retries?: number;
  /** Sent as `X-Request-Id`. Default: a random one. */
  requestId?: string;
}
