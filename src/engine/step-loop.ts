/** Runs steps while there is work, and between two of them what must not happen while one computes. */
export class StepLoop {
  #frozen = false;
  #closed = false;
  #wake: (() => void) | null = null;
  #between: Array<() => Promise<void>> = [];

  constructor(
    private readonly hasWork: () => boolean,
    private readonly step: () => Promise<void>,
    /** Called whenever no step follows at once. */
    private readonly rest: () => void,
  ) {}

  /** Do something while no step reads or writes the key/value buffers or the weights; settles as it does. */
  betweenSteps(action: () => void | Promise<void>): Promise<void> {
    const done = new Promise<void>((resolve, reject) => {
      this.#between.push(() => Promise.resolve().then(action).then(resolve, reject));
    });
    this.wake();
    return done;
  }

  /** While frozen no step is taken, whatever work there is. */
  setFrozen(frozen: boolean): void {
    this.#frozen = frozen;
    this.wake();
  }

  /** There may be work. */
  wake(): void {
    this.#wake?.();
  }

  /** Leave the loop after the step that runs. */
  close(): void {
    this.#closed = true;
    this.wake();
  }

  /** Work until closed. Rejects as a step does. */
  async run(): Promise<void> {
    while (!this.#closed) {
      if (this.#between.length > 0 || !this.#isNextStepDue()) this.rest();
      for (const action of this.#between.splice(0)) await action();
      if (this.#isNextStepDue()) await this.step();
      else await this.#sleep();
      await new Promise(setImmediate);
    }
    this.rest();
  }

  #isNextStepDue(): boolean {
    return !this.#frozen && this.hasWork();
  }

  /** Until something arrives. */
  async #sleep(): Promise<void> {
    if (this.#between.length > 0 || this.#closed) return;
    await new Promise<void>((wake) => {
      this.#wake = wake;
    });
    this.#wake = null;
  }
}
