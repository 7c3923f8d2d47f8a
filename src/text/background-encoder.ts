import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { internal } from '../errors.js';
import type { TokenizerSpec } from '../model/index.js';
import type { EncodeJob, EncodeResult } from './encoder-thread.js';
import { type EncodedText, type EncodeOptions, encodeText, type TextEncoder } from './text-encoding.js';
import type { Tokenizer } from './tokenizer.js';

/** Characters that are encoded in place: a few milliseconds at most. Longer texts go to the thread. */
const SHORT_TEXT = 8192;

interface Waiting {
  resolve: (encoded: EncodedText) => void;
  reject: (error: Error) => void;
}

/** Encodes short texts at once and long ones on a thread of its own, which is started when it is first needed. */
export class BackgroundEncoder implements TextEncoder {
  #thread: Worker | null = null;
  #jobs = 0;
  readonly #waiting = new Map<number, Waiting>();

  constructor(
    private readonly spec: TokenizerSpec,
    private readonly tokenizer: Tokenizer,
  ) {}

  async encode(text: string, options: EncodeOptions): Promise<EncodedText> {
    if (text.length <= SHORT_TEXT) return encodeText(this.tokenizer, text, options);
    const job: EncodeJob = { number: this.#jobs++, text, options };
    return new Promise((resolve, reject) => {
      this.#waiting.set(job.number, { resolve, reject });
      this.#running().postMessage(job);
    });
  }

  async close(): Promise<void> {
    await this.#thread?.terminate();
  }

  #running(): Worker {
    if (this.#thread) return this.#thread;
    const thread = new Worker(threadPath(), { workerData: this.spec });
    thread.unref();
    thread.on('message', (result: EncodeResult) => this.#received(result));
    thread.on('error', () => this.#ended());
    thread.on('exit', () => this.#ended());
    this.#thread = thread;
    return thread;
  }

  #received({ number, encoded }: EncodeResult): void {
    this.#waiting.get(number)?.resolve(encoded);
    this.#waiting.delete(number);
  }

  /** What was waiting fails; the next text starts a new thread. */
  #ended(): void {
    this.#thread = null;
    for (const { reject } of this.#waiting.values())
      reject(internal('The tokenizer thread ended. Try again.'));
    this.#waiting.clear();
  }
}

/** The compiled main of the thread: beside this file, or under dist/ when this runs from source. */
function threadPath(): string {
  const beside = fileURLToPath(new URL('./encoder-thread.js', import.meta.url));
  return existsSync(beside)
    ? beside
    : fileURLToPath(new URL('../../dist/src/text/encoder-thread.js', import.meta.url));
}
