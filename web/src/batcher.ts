/** Hands items to `work` in order, one batch at a time: what arrives while a batch is in work makes the next one. */
export class Batcher<Item> {
  #waiting: Item[] = [];
  #working: Promise<void> | null = null;
  #failure: unknown = null;

  constructor(private readonly work: (batch: readonly Item[]) => Promise<void>) {}

  add(item: Item): void {
    this.#waiting.push(item);
    this.#working ??= this.#workAll();
  }

  /** Resolves when nothing waits; rejects with what `work` threw. */
  async drained(): Promise<void> {
    await this.#working;
    if (this.#failure) throw this.#failure;
  }

  async #workAll(): Promise<void> {
    try {
      while (this.#waiting.length > 0) await this.work(this.#waiting.splice(0));
    } catch (error) {
      this.#failure = error;
    } finally {
      this.#working = null;
    }
  }
}
