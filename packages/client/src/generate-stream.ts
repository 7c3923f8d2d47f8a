import type { GenerateChoice, GenerateChunk, GenerateRequest, Usage } from '../../../generated/types.js';
import { ApiError, ConnectionError, errorOf, UsageError } from './errors.js';
import { Merged } from './merge.js';
import type { CallOptions } from './options.js';
import { checkMode } from './output-mode.js';
import { abortIdOf, newRequestId } from './request-ids.js';
import { withRetries } from './retry.js';
import { eventsOf } from './sse.js';
import { Timer } from './timer.js';
import { apiErrorOf, type Transport } from './transport.js';

/** A connection whose first event has come. */
interface Opened {
  events: AsyncGenerator<string, void, undefined>;
  first: IteratorResult<string, void>;
}

/**
 * The chunks of a generate request, once. `break` and the signal end the request at the server too; after the signal
 * the chunks that the server still sends (the last one, with the weight versions) are given out, and no error is thrown.
 */
export class GenerateStream implements AsyncIterable<GenerateChunk> {
  /** The id that abort takes. */
  readonly requestId: string;
  /** As the last chunk that carried it said; null before. */
  usage: Usage | null = null;
  /** The prompt, once the server echoed it. */
  promptTokenIds: number[] | null = null;
  readonly #merged = new Merged();
  readonly #callerId: string;
  #started = false;
  #sent = false;

  constructor(
    private readonly transport: Transport,
    private readonly request: GenerateRequest,
    private readonly options: CallOptions = {},
  ) {
    this.#callerId = options.requestId ?? request.request_id ?? newRequestId();
    this.requestId = abortIdOf(this.#callerId);
  }

  /** The sequences so far, by index; to be read at any time, after an error too. */
  get choices(): GenerateChoice[] {
    return this.#merged.choices;
  }

  /** Read to the end; the sequences, whole. */
  async result(): Promise<GenerateChoice[]> {
    for await (const _ of this);
    return this.choices;
  }

  [Symbol.asyncIterator](): AsyncIterator<GenerateChunk, void, undefined> {
    if (this.#started) throw new UsageError('A stream can be read once only.');
    this.#started = true;
    return this.#read();
  }

  async *#read(): AsyncGenerator<GenerateChunk, void, undefined> {
    const { signal } = this.options;
    if (signal?.aborted) return;
    const timer = new Timer(this.transport.timeoutOf(this.options));
    const aborting = this.#abortOn(signal, timer);
    let finished = false;
    try {
      for await (const chunk of this.#chunks(timer, signal)) {
        this.#note(chunk);
        yield chunk;
      }
      finished = true;
    } catch (error) {
      // The server has no such request any more, or can't be reached.
      finished = error instanceof ApiError || error instanceof ConnectionError;
      if (signal?.aborted) return;
      throw error;
    } finally {
      timer.close();
      aborting.stop();
      if (!finished && !signal?.aborted && this.#sent) await this.transport.abortQuietly([this.requestId]);
      await aborting.done();
    }
  }

  async *#chunks(timer: Timer, signal: AbortSignal | undefined): AsyncGenerator<GenerateChunk> {
    const opened = await withRetries(() => this.#open(timer), this.transport.retriesOf(this.options), signal);
    try {
      for (let next = opened.first; !next.done; next = await opened.events.next()) {
        yield this.#chunkOf(next.value);
      }
    } catch (error) {
      throw timer.explain(error);
    } finally {
      await opened.events.return();
    }
  }

  /** Send the request and wait for the first event: until then nothing was given out, and it may be sent again. */
  async #open(timer: Timer): Promise<Opened> {
    try {
      timer.restart();
      this.#sent = true;
      const { response, data, error } = await this.transport.http.POST('/inference/v1/generate', {
        body: { ...this.request, stream: true },
        headers: { 'X-Request-Id': this.#callerId, Accept: 'text/event-stream' },
        parseAs: 'stream',
        signal: timer.signal,
      });
      if (!response.ok) throw apiErrorOf(response, error);
      if (!data) throw new ConnectionError('The answer has no body.');
      const events = eventsOf(data, timer);
      const first = await events.next();
      if (!first.done) this.#chunkOf(first.value);
      return { events, first };
    } catch (error) {
      throw timer.explain(error);
    }
  }

  #chunkOf(data: string): GenerateChunk {
    const json = JSON.parse(data) as GenerateChunk & { error?: { code?: number } };
    if (json.error) throw errorOf(json.error.code ?? 500, json, this.#callerId);
    if (json.choices.length > 0) checkMode(this.request, json);
    return json;
  }

  #note(chunk: GenerateChunk): void {
    this.#merged.add(chunk);
    this.usage = chunk.usage ?? this.usage;
    this.promptTokenIds = chunk.prompt_token_ids ?? this.promptTokenIds;
  }

  /** At the signal, tell the server; give it a moment to send the rest, then close the connection. */
  #abortOn(signal: AbortSignal | undefined, timer: Timer): { stop(): void; done(): Promise<void> } {
    let told: Promise<void> = Promise.resolve();
    let closing: ReturnType<typeof setTimeout> | undefined;
    const onAbort = (): void => {
      told = this.transport.abortQuietly([this.requestId]);
      closing = setTimeout(() => timer.abort(), this.transport.graceMs);
    };
    signal?.addEventListener('abort', onAbort);
    return {
      stop: () => {
        signal?.removeEventListener('abort', onAbort);
        clearTimeout(closing);
      },
      done: () => told,
    };
  }
}
