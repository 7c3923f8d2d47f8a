import { type ChildProcess, fork } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { internal, StartupError } from '../errors.js';
import type { GrammarVocabulary } from '../structured/index.js';
import { EventQueue } from './event-queue.js';
import type { EngineRequest, EngineState, EngineStats, Generation, SequenceEvent } from './index.js';
import type { FromRank, RankCall, RankOptions, ToRank } from './protocol.js';
import { NO_STATS, sumStats } from './stats.js';

interface Pending {
  queue: EventQueue<SequenceEvent>;
  /** Sequences that have not had their last event. */
  unfinished: number;
}

/** A process that ends this often without becoming ready is not started again. */
const MAX_FAILED_STARTS = 5;
const RESTART_DELAY_MS = 200;

/**
 * One data-parallel rank as the server's process sees it: an engine process and the requests it works on. When
 * the process ends unasked, its requests fail, others are untouched, and a new process is started.
 */
export class Rank {
  state: EngineState = 'starting';
  #stats: EngineStats = NO_STATS;
  /** Totals of processes that ended. */
  #past: EngineStats = NO_STATS;
  readonly #pending = new Map<string, Pending>();
  readonly #calls = new Map<number, { resolve: () => void; reject: (error: Error) => void }>();
  readonly #becameReady: Promise<void>;
  #settleReady!: { resolve: () => void; reject: (error: Error) => void };
  #child: ChildProcess | null = null;
  /** The process that knows the vocabulary. */
  #literate: ChildProcess | null = null;
  #callNumber = 0;
  #failedStarts = 0;
  #closing = false;
  #failure: string | null = null;

  constructor(
    private readonly options: RankOptions,
    private readonly vocabulary: (() => GrammarVocabulary) | null,
    /** Calls to repeat on a new process, so that it takes up where the old one was. */
    private readonly restore: () => RankCall[],
  ) {
    this.#becameReady = new Promise((resolve, reject) => {
      this.#settleReady = { resolve, reject };
    });
    this.#becameReady.catch(() => {});
    this.#start();
  }

  /** Resolves when the first process is ready; rejects with a StartupError when it can't be. */
  ready(): Promise<void> {
    return this.#becameReady;
  }

  /** Requests with unfinished sequences. */
  get load(): number {
    return this.#pending.size;
  }

  /** Counters go on over restarts. */
  get stats(): EngineStats {
    return { ...sumStats([this.#past, this.#stats]), kvUsage: this.#stats.kvUsage };
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  generate(request: EngineRequest, signal: AbortSignal): Generation {
    const { id } = request;
    const abort = (): void => this.#send({ type: 'abort', id });
    const queue = new EventQueue<SequenceEvent>(abort);
    this.#pending.set(id, { queue, unfinished: request.sampling.n });
    if (request.sampling.structuredOutput) this.#tellVocabulary();
    this.#send({ type: 'submit', request });
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
    const forget = (): void => signal.removeEventListener('abort', abort);
    return {
      [Symbol.asyncIterator]: () => forgetting(queue, forget),
      end: (index) => this.#send({ type: 'end', id, index }),
    };
  }

  /** Have the engine process do something; resolves when it has. */
  call(call: RankCall): Promise<void> {
    if (!this.#child) return Promise.resolve();
    const number = this.#callNumber++;
    return new Promise((resolve, reject) => {
      this.#calls.set(number, { resolve, reject });
      this.#send({ type: 'call', number, call });
    });
  }

  /** Go over to loaded weights; a process that can't is ended, and the next one starts with them. */
  async swapWeights(version: string): Promise<void> {
    const child = this.#child;
    const isReady = this.state === 'ready';
    try {
      if (isReady) return await this.call({ method: 'swapWeights', version });
    } catch {
      // The process ended, or has no loaded weights.
    }
    if (this.#child === child) child?.kill('SIGKILL');
  }

  /** Abort every request with its partial output. */
  abortAll(): void {
    for (const id of this.#pending.keys()) this.#send({ type: 'abort', id });
  }

  /** End the process; resolves when it is gone. Requests must have been drained or aborted before. */
  async close(): Promise<void> {
    this.#closing = true;
    const child = this.#child;
    if (!child) return;
    const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    this.#send({ type: 'close' });
    // One that is still starting hears nothing, and has nothing to lose.
    const kill = setTimeout(() => child.kill('SIGKILL'), this.state === 'starting' ? 0 : 2_000);
    await gone;
    clearTimeout(kill);
  }

  #start(): void {
    this.state = 'starting';
    this.#failure = null;
    const child = fork(processPath(), {
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    this.#child = child;
    child.on('message', (message) => this.#receive(message as FromRank));
    child.on('error', (error) => {
      this.#failure ??= error.message;
    });
    child.once('exit', (code, signal) => this.#exited(signal ?? `code ${code}`));
    this.#send({ type: 'start', options: this.options });
  }

  /** Only grammars need it, and it takes a fifth of a second to spell. */
  #tellVocabulary(): void {
    if (!this.vocabulary || this.#literate === this.#child) return;
    this.#literate = this.#child;
    this.#send({ type: 'vocabulary', vocabulary: this.vocabulary() });
  }

  #send(message: ToRank): void {
    if (this.#child?.connected) this.#child.send(message, () => {});
  }

  #receive(message: FromRank): void {
    switch (message.type) {
      case 'ready':
        this.#markReady();
        break;
      case 'failed':
        this.#failure = message.message;
        break;
      case 'events':
        this.#stats = message.stats ?? this.#stats;
        for (const [id, event] of message.events) this.#deliver(id, event);
        break;
      case 'returned':
        this.#returned(message.number, message.error);
        break;
    }
  }

  #markReady(): void {
    this.#failedStarts = 0;
    for (const call of this.restore()) this.call(call).catch(() => {});
    this.state = 'ready';
    this.#settleReady.resolve();
  }

  #deliver(id: string, event: SequenceEvent): void {
    const pending = this.#pending.get(id);
    if (!pending) return;
    if (event.finish?.reason === 'error') {
      this.#fail(id, pending, 'The engine failed while it computed this request. Try again.');
      this.#send({ type: 'abort', id });
      return;
    }
    pending.queue.push(event);
    if (!event.finish || --pending.unfinished > 0) return;
    this.#pending.delete(id);
    pending.queue.end();
  }

  #fail(id: string, pending: Pending, message: string): void {
    this.#pending.delete(id);
    pending.queue.fail(internal(message));
  }

  #returned(number: number, error: string | null): void {
    const call = this.#calls.get(number);
    this.#calls.delete(number);
    if (error === null) call?.resolve();
    else call?.reject(new Error(error));
  }

  #exited(how: string): void {
    const wasReady = this.state === 'ready';
    this.#child = null;
    this.#past = sumStats([this.#past, { ...this.#stats, running: 0, waiting: 0, kvUsage: 0 }]);
    this.#stats = NO_STATS;
    for (const [id, pending] of [...this.#pending]) {
      this.#fail(
        id,
        pending,
        `The engine process ended (${how}) while it worked on this request. Try again.`,
      );
    }
    for (const { reject } of this.#calls.values()) reject(new Error(`the engine process ended (${how})`));
    this.#calls.clear();
    if (this.#closing) return;
    this.#settleReady.reject(
      new StartupError(this.#failure ?? `The engine process ended (${how}) before it was ready.`),
    );
    this.#failedStarts = wasReady ? 0 : this.#failedStarts + 1;
    if (this.#failure !== null || this.#failedStarts >= MAX_FAILED_STARTS) {
      this.state = 'dead';
      return;
    }
    this.state = 'starting';
    setTimeout(() => this.#closing || this.#start(), RESTART_DELAY_MS * 2 ** this.#failedStarts).unref();
  }
}

/** Iterate a queue, and drop the abort listener whichever way the iteration ends. */
async function* forgetting<T>(queue: EventQueue<T>, forget: () => void): AsyncGenerator<T> {
  try {
    yield* queue;
  } finally {
    forget();
  }
}

/** The compiled main of an engine process: beside this file, or under dist/ when this runs from source. */
function processPath(): string {
  const beside = fileURLToPath(new URL('./process.js', import.meta.url));
  return existsSync(beside)
    ? beside
    : fileURLToPath(new URL('../../dist/src/engine/process.js', import.meta.url));
}
