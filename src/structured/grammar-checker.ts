import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { valueFault } from '../errors.js';
import { packageRoot } from '../package-info.js';
import type { GrammarVocabulary, StructuredOutput } from './index.js';

/** A grammar that takes longer to compile is refused: the engine would stand still for as long. */
const LIMIT_MS = 2_000;
const REMEMBERED = 256;

/**
 * Tries grammars out on a thread of its own before a request is queued: the library aborts on one that it can't
 * read, and may take very long for a hostile one.
 */
export class GrammarChecker {
  readonly #good = new Set<string>();
  #worker: Worker | null = null;
  #turn: Promise<unknown> = Promise.resolve();

  /** The vocabulary is asked for when a thread starts. */
  constructor(private readonly vocabulary: () => GrammarVocabulary) {}

  /** Resolves when the shape compiles; rejects with a 400 that says that it does not, or takes too long. */
  check(shape: StructuredOutput): Promise<void> {
    const key = JSON.stringify(shape);
    if (this.#good.has(key)) return Promise.resolve();
    const result = this.#turn.then(() => this.#try(shape));
    this.#turn = result.catch(() => {});
    return result.then(() => this.#remember(key));
  }

  async close(): Promise<void> {
    await this.#worker?.terminate();
  }

  async #try(shape: StructuredOutput): Promise<void> {
    const worker = this.#start();
    const answer = once(worker, 'message', { signal: AbortSignal.timeout(LIMIT_MS) }) as Promise<[boolean]>;
    worker.postMessage(shape);
    const outcome = await answer.then(
      ([isGood]) => isGood,
      (error: Error) => error,
    );
    if (outcome === true) return;
    if (outcome === false)
      throw valueFault(null, `The ${shape.kind} of structured_outputs can't be compiled.`);
    this.#worker = null;
    await worker.terminate();
    throw valueFault(
      null,
      `The ${shape.kind} of structured_outputs takes too long to compile: make it simpler.`,
    );
  }

  #start(): Worker {
    if (this.#worker) return this.#worker;
    const worker = new Worker(workerPath(), { workerData: this.vocabulary(), stderr: true, stdout: true });
    worker.unref();
    worker.on('exit', () => {
      if (this.#worker === worker) this.#worker = null;
    });
    // The library prints what it can't read; nobody needs that.
    worker.stderr.resume();
    worker.stdout.resume();
    worker.on('error', () => {});
    this.#worker = worker;
    return worker;
  }

  #remember(key: string): void {
    this.#good.add(key);
    if (this.#good.size > REMEMBERED) this.#good.delete(this.#good.values().next().value!);
  }
}

/** The compiled main of the worker: beside this file, or under dist/ when this runs from source. */
function workerPath(): string {
  const beside = fileURLToPath(new URL('./grammar-worker.js', import.meta.url));
  return existsSync(beside) ? beside : join(packageRoot, 'dist', 'src', 'structured', 'grammar-worker.js');
}
