import { createClient, type TitoClient } from '../../../generated/client.js';
import { type ApiError, errorOf } from './errors.js';
import type { CallOptions, ClientOptions } from './options.js';
import { pause, retryAfterOf, withRetries } from './retry.js';
import { Timer } from './timer.js';

const ABORT_PATH = '/inference/v1/abort_requests';
const DEFAULT_RETRIES = 2;
const DEFAULT_GRACE_MS = 2000;

/** The answer of openapi-fetch, of which one of `data` and `error` is there. */
interface Answer<T> {
  data?: T;
  error?: unknown;
  response: Response;
}

/** Requests with key, timeout, retries and typed errors. */
export class Transport {
  /** The generated client: every path of the API, typed; without retries and typed errors. */
  readonly http: TitoClient;
  readonly #options: ClientOptions;

  constructor(options: ClientOptions) {
    this.#options = options;
    const { baseUrl, apiKey, headers } = options;
    const key = apiKey === undefined ? {} : { Authorization: `Bearer ${apiKey}` };
    this.http = createClient({
      baseUrl: baseUrl.replace(/\/+$/, ''),
      headers: { ...headers, ...key },
      ...(options.fetch && { fetch: options.fetch }),
    });
  }

  get graceMs(): number {
    return this.#options.abortGraceMs ?? DEFAULT_GRACE_MS;
  }

  timeoutOf(options: CallOptions): number | undefined {
    return options.timeoutMs ?? this.#options.timeoutMs;
  }

  retriesOf(options: CallOptions): number {
    return options.retries ?? this.#options.retries ?? DEFAULT_RETRIES;
  }

  /** The body of an answer of 200, tried again where that can help. Throws every other answer as its error. */
  call<T>(send: (signal: AbortSignal) => Promise<Answer<T>>, options: CallOptions = {}): Promise<T> {
    const once = async (): Promise<T> => {
      const timer = new Timer(this.timeoutOf(options), options.signal);
      try {
        const { data, error, response } = await send(timer.signal);
        if (!response.ok) throw apiErrorOf(response, error);
        return data as T;
      } catch (error) {
        throw timer.explain(error);
      } finally {
        timer.close();
      }
    };
    return withRetries(once, this.retriesOf(options), options.signal);
  }

  /** Tell the server to end these requests. Best effort: at an abort there is nobody left to hear of a failure. */
  async abortQuietly(ids: readonly string[]): Promise<void> {
    const limit = new AbortController();
    const sent = this.http
      .POST(ABORT_PATH, { body: { request_ids: [...ids] }, parseAs: 'text', signal: limit.signal })
      .then(
        () => limit.abort(),
        () => limit.abort(),
      );
    await pause(this.graceMs, limit.signal);
    limit.abort();
    await sent;
  }
}

/** The error that an answer of 400 or more stands for. */
export function apiErrorOf(response: Response, body: unknown): ApiError {
  const { headers, status } = response;
  return errorOf(status, body, headers.get('x-request-id'), retryAfterOf(headers.get('retry-after')));
}
