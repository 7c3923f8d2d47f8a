import { ConnectionError, TimeoutError, TitoError } from './errors.js';

/** Fires its signal after `ms` without a `restart()` or `stop()`, or with the caller's. */
export class Timer {
  readonly #controller = new AbortController();
  readonly #ms: number | undefined;
  readonly #outer: AbortSignal | undefined;
  readonly #onAbort = (): void => this.#controller.abort(this.#outer?.reason);
  #timer: ReturnType<typeof setTimeout> | undefined;
  #expired = false;

  constructor(ms: number | undefined, outer?: AbortSignal) {
    this.#ms = ms;
    this.#outer = outer;
    outer?.addEventListener('abort', this.#onAbort);
    if (outer?.aborted) this.#onAbort();
    this.restart();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  restart(): void {
    clearTimeout(this.#timer);
    if (this.#ms === undefined) return;
    this.#timer = setTimeout(() => {
      this.#expired = true;
      this.#controller.abort();
    }, this.#ms);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  /** Fire at once. */
  abort(): void {
    this.#controller.abort();
  }

  /** Of no use any more. */
  close(): void {
    this.stop();
    this.#outer?.removeEventListener('abort', this.#onAbort);
  }

  /** The client's error for what `fetch` threw; an abort by the caller stays what it is. */
  explain(error: unknown): unknown {
    if (this.#expired) return new TimeoutError(`The server was silent for ${this.#ms} ms.`, { cause: error });
    if (error instanceof TitoError || this.#outer?.aborted) return error;
    return new ConnectionError(`The connection failed: ${String((error as Error)?.message ?? error)}`, {
      cause: error,
    });
  }
}
