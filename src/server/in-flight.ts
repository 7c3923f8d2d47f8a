import type { Response } from 'express';

/** Requests that were accepted and not yet answered, by the id that abort takes. An id may be used several times. */
export class InFlight {
  readonly #byId = new Map<string, Set<AbortController>>();
  #count = 0;

  get count(): number {
    return this.#count;
  }

  /**
   * Do the work of a request under a signal that fires when the caller leaves, when the id is aborted, and at
   * shutdown. A caller that leaves is seen at the response: the request's own 'close' fires once its body is read.
   */
  async run<T>(id: string, response: Response, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const controller = new AbortController();
    const onClose = (): void => {
      if (!response.writableFinished) controller.abort();
    };
    response.once('close', onClose);
    const sharing = this.#byId.get(id) ?? new Set();
    this.#byId.set(id, sharing.add(controller));
    this.#count++;
    try {
      return await work(controller.signal);
    } finally {
      this.#count--;
      sharing.delete(controller);
      if (sharing.size === 0) this.#byId.delete(id);
      response.off('close', onClose);
    }
  }

  /** Abort every request of these ids; unknown ids are ignored. */
  abort(ids: readonly string[]): void {
    for (const id of ids) for (const controller of this.#byId.get(id) ?? []) controller.abort();
  }

  /** Abort everything; returns how many requests that were. */
  abortAll(): number {
    const all = [...this.#byId.values()].flatMap((sharing) => [...sharing]);
    for (const controller of all) controller.abort();
    return all.length;
  }
}
