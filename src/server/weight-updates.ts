import { mkdtempSync, rmSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve, sep } from 'node:path';
import type { Engine } from '../engine/index.js';
import { StartupError, valueFault } from '../errors.js';
import type { ModelDtype } from '../model/index.js';

/** What an update needs of the server. */
export interface UpdateTarget {
  engine: Engine;
  /** The file that the model was loaded from. */
  source: string;
  /** Folder that checkpoints may lie in; null when there is none. */
  weightsDir: string | null;
}

/** One weight update after another: begun, given checkpoints, finished. The old weights serve until it is. */
export class WeightUpdates {
  /** Checkpoints that make up the weights in use, oldest first. */
  #applied: string[] = [];
  /** The same for the weights to come; null when no update has begun. */
  #next: string[] | null = null;
  #busy = false;
  #graphs = 0;
  #folder: string | null = null;

  constructor(private readonly target: () => UpdateTarget) {}

  /** Throws a 400 when an update has begun already. */
  start(): void {
    if (this.#next) throw valueFault(null, 'A weight update has begun already. Finish it first.');
    this.#next = [...this.#applied];
  }

  /** Load a checkpoint beside the weights in use. Throws a 400 when it doesn't fit or can't be read. */
  async update(path: unknown): Promise<void> {
    await this.#alone(async (next) => {
      const { engine, source } = this.target();
      const checkpoints = [...next, await this.#inside(path)];
      const { buildUpdate } = await import('../model/build-update.js');
      const graph = await buildUpdate(
        source,
        checkpoints,
        this.#graphFolder(),
        engine.info.dtype as ModelDtype,
      ).catch(explain);
      await engine.loadWeights(graph);
      this.#next = checkpoints;
    });
  }

  /** Go over to the loaded weights, called `version` or as before. Throws a 400 when there are none. */
  async finish(version: string | null): Promise<void> {
    await this.#alone(async (next) => {
      if (next.length === this.#applied.length)
        throw valueFault(null, 'No weights came since the update began.');
      const { engine } = this.target();
      await engine.swapWeights(version ?? engine.weightVersion());
      this.#applied = next;
      this.#next = null;
    });
  }

  async #alone(work: (next: string[]) => Promise<void>): Promise<void> {
    if (!this.#next) throw valueFault(null, 'No weight update has begun: call /start_weight_update first.');
    if (this.#busy) throw valueFault(null, 'Another step of this weight update is still running.');
    this.#busy = true;
    try {
      await work(this.#next);
    } finally {
      this.#busy = false;
    }
  }

  /** The real path of a checkpoint. Links are followed before it is compared. */
  async #inside(path: unknown): Promise<string> {
    const { weightsDir } = this.target();
    if (typeof path !== 'string') throw valueFault('update_info', '`update_info.path` must be a string.');
    if (weightsDir === null)
      throw valueFault('update_info', 'Restart tito serve with --weights-dir to load a path.');
    const outside = valueFault('update_info', `There is no checkpoint "${path}" inside --weights-dir.`);
    const root = await realpath(weightsDir).catch(() => null);
    if (root === null || path.includes('\0')) throw outside;
    const real = await realpath(resolve(root, path)).catch(() => null);
    if (real === null || !real.startsWith(root.endsWith(sep) ? root : root + sep)) throw outside;
    return real;
  }

  #graphFolder(): string {
    if (this.#folder === null) {
      const folder = mkdtempSync(join(tmpdir(), 'tito-weights-'));
      process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
      this.#folder = folder;
    }
    // The graph in use is kept for ranks that restart, and the one before it until the swap is over.
    rmSync(join(this.#folder, String(this.#graphs - 3)), { recursive: true, force: true });
    return join(this.#folder, String(this.#graphs++));
  }
}

function explain(error: unknown): never {
  if (error instanceof StartupError) throw valueFault('update_info', error.message);
  throw error;
}
