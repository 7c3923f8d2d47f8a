import { once } from 'node:events';
import type { Response } from 'express';

/** Comment frames keep proxies from closing a quiet connection. */
const KEEP_ALIVE_MS = 15_000;

/** Writes server-sent events, and waits for slow readers. */
export class EventStream {
  readonly #response: Response;
  readonly #keepAlive: NodeJS.Timeout;

  constructor(response: Response) {
    this.#response = response;
    response.status(200).set({
      'Content-Type': 'text/event-stream; charset=utf-8',
      'Cache-Control': 'no-cache',
      'X-Accel-Buffering': 'no',
    });
    response.flushHeaders();
    this.#keepAlive = setInterval(() => response.write(': keep-alive\n\n'), KEEP_ALIVE_MS);
    this.#keepAlive.unref();
  }

  /** Send one frame of JSON; resolves when the reader has room for more, or is gone. */
  async send(data: unknown): Promise<void> {
    await this.#write(`data: ${JSON.stringify(data)}\n\n`);
  }

  /** Send `[DONE]` and end. */
  async done(): Promise<void> {
    clearInterval(this.#keepAlive);
    await this.#write('data: [DONE]\n\n');
    this.#response.end();
  }

  async #write(frame: string): Promise<void> {
    const response = this.#response;
    if (response.destroyed || response.write(frame)) return;
    const gone = new AbortController();
    await Promise.race([
      once(response, 'drain', { signal: gone.signal }),
      once(response, 'close', { signal: gone.signal }),
    ]).catch(() => {});
    gone.abort();
  }

  /** Stop the keep-alive; the connection is gone or about to be. */
  release(): void {
    clearInterval(this.#keepAlive);
  }
}
