import { openSession } from '../runtime/open-session.js';
import type { RuntimeBackend, Session, SessionOptions } from '../runtime/session.js';
import type { EngineCore } from './engine-core.js';
import type { ModelRunner } from './model-runner.js';

/** New weights, loaded while the old ones serve, and swapped in between two steps. */
export class LoadedWeights {
  #next: Session | null = null;

  constructor(
    private readonly core: EngineCore,
    private readonly runner: ModelRunner,
    private readonly options: SessionOptions & { backend: RuntimeBackend },
  ) {}

  /** Load a graph; an earlier one that was not swapped in is dropped. */
  async load(graphPath: string): Promise<void> {
    const session = await openSession(graphPath, this.options);
    await this.#next?.close();
    this.#next = session;
  }

  /** Drop loaded weights that will not be swapped in. */
  async drop(): Promise<void> {
    await this.#next?.close();
    this.#next = null;
  }

  /** Go over to the loaded weights. Throws when none are loaded. */
  swap(version: string): Promise<void> {
    return this.core.betweenSteps(async () => {
      if (!this.#next) throw new Error('no weights were loaded');
      const session = this.#next;
      this.#next = null;
      await this.runner.replaceSession(session);
      this.core.goOverTo(version);
    });
  }
}
