/**
 * Values pushed from one side, awaited from the other, in order. Single consumer. Ends with `end()` or `fail()`;
 * what was pushed before is delivered first.
 */
export class EventQueue<T> implements AsyncIterableIterator<T> {
  readonly #values: T[] = [];
  #next = 0;
  #ended: { error: Error | null } | null = null;
  #waiter: { resolve: (result: IteratorResult<T>) => void; reject: (error: Error) => void } | null = null;

  /** `onReturn` is called when the consumer leaves before the end. */
  constructor(private readonly onReturn: () => void = () => {}) {}

  push(value: T): void {
    if (this.#ended) return;
    if (!this.#waiter) {
      this.#values.push(value);
      return;
    }
    this.#waiter.resolve({ value, done: false });
    this.#waiter = null;
  }

  end(): void {
    this.#finish(null);
  }

  fail(error: Error): void {
    this.#finish(error);
  }

  next(): Promise<IteratorResult<T>> {
    if (this.#next < this.#values.length) {
      const value = this.#values[this.#next++] as T;
      if (this.#next === this.#values.length) this.#next = this.#values.length = 0;
      return Promise.resolve({ value, done: false });
    }
    if (this.#ended?.error) return Promise.reject(this.#ended.error);
    if (this.#ended) return Promise.resolve({ value: undefined, done: true });
    return new Promise((resolve, reject) => {
      this.#waiter = { resolve, reject };
    });
  }

  async return(): Promise<IteratorResult<T>> {
    if (!this.#ended) this.onReturn();
    this.#finish(null);
    this.#values.length = this.#next = 0;
    return { value: undefined, done: true };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #finish(error: Error | null): void {
    if (this.#ended) return;
    this.#ended = { error };
    if (error) this.#waiter?.reject(error);
    else this.#waiter?.resolve({ value: undefined, done: true });
    this.#waiter = null;
  }
}
