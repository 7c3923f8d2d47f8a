import type { TitoClient } from '../../../generated/client.js';
import type {
  ChatCompletion,
  ChatCompletionRequest,
  Completion,
  DerenderChatChunkResponse,
  DerenderChatRequest,
  DerenderCompletionRequest,
  GenerateRequest,
  GenerateResponse,
  ModelList,
} from '../../../generated/types.js';
import { type ChatAnswer, type ChatStreamed, chat, chatStream } from './chat.js';
import { Conversation, type ConversationOptions } from './conversation.js';
import { TimeoutError } from './errors.js';
import { GenerateStream } from './generate-stream.js';
import type { CallOptions, ClientOptions } from './options.js';
import { checkMode } from './output-mode.js';
import { abortIdOf, newRequestId } from './request-ids.js';
import { pause } from './retry.js';
import { Transport } from './transport.js';

/** A server of tokens: tito, vLLM with its scale-out API, or anything else that speaks it. */
export class Tito {
  readonly #transport: Transport;

  constructor(options: ClientOptions) {
    this.#transport = new Transport(options);
  }

  /** The generated client: every path of the API, typed, with the key; without retries and typed errors. */
  get http(): TitoClient {
    return this.#transport.http;
  }

  /**
   * Ids in, ids out. The signal ends the request at the server, too: what it generated until then is the answer, with
   * finish reason `abort`; rejects with the signal's reason when the server does not hand it over in `abortGraceMs`.
   */
  async generate(request: GenerateRequest, options: CallOptions = {}): Promise<GenerateResponse> {
    options.signal?.throwIfAborted();
    const id = options.requestId ?? request.request_id ?? newRequestId();
    const closing = this.#closeAfterAbort(abortIdOf(id), options.signal);
    try {
      const answer = await this.#transport.call<GenerateResponse>(
        async (signal) => {
          const { data, error, response } = await this.http.POST('/inference/v1/generate', {
            body: { ...request, stream: false },
            headers: { 'X-Request-Id': id },
            signal,
          });
          // The contract also names the stream of this path, which `stream: false` rules out.
          return { data: data as GenerateResponse, error, response };
        },
        { ...options, signal: closing.signal },
      );
      checkMode(request, answer);
      return answer;
    } catch (error) {
      options.signal?.throwIfAborted();
      if (error instanceof TimeoutError) await this.#transport.abortQuietly([abortIdOf(id)]);
      throw error;
    } finally {
      closing.stop();
    }
  }

  /** The same, chunk by chunk. Nothing is sent before the stream is read. */
  stream(request: GenerateRequest, options: CallOptions = {}): GenerateStream {
    return new GenerateStream(this.#transport, request, options);
  }

  /** End requests by the `request_id` of their answers; ids that are unknown or done are ignored. */
  async abort(requestIds: readonly string[], options: CallOptions = {}): Promise<void> {
    const body = { request_ids: [...requestIds] };
    await this.#transport.call(
      (signal) => this.http.POST('/inference/v1/abort_requests', { body, parseAs: 'text', signal }),
      options,
    );
  }

  /** A chat to a request that may be generated unchanged. */
  renderChat(body: ChatCompletionRequest, options: CallOptions = {}): Promise<GenerateRequest> {
    return this.#transport.call(
      (signal) => this.http.POST('/v1/chat/completions/render', { body, signal }),
      options,
    );
  }

  /** A generated answer to a message. */
  derenderChat(body: DerenderChatRequest, options: CallOptions = {}): Promise<ChatCompletion> {
    return this.#derender<ChatCompletion>({ ...body, stream: false }, options);
  }

  /** One chunk of a generated answer to a piece of a message; send back `stream_state` with the next one of its index. */
  derenderChatChunk(
    body: DerenderChatRequest,
    options: CallOptions = {},
  ): Promise<DerenderChatChunkResponse> {
    return this.#derender<DerenderChatChunkResponse>({ ...body, stream: true }, options);
  }

  /** Generated answers to a text completion: a choice for each sequence, with the tokens' texts where logprobs were sent. */
  derenderCompletion(body: DerenderCompletionRequest, options: CallOptions = {}): Promise<Completion> {
    return this.#transport.call<Completion>(async (signal) => {
      const { data, error, response } = await this.http.POST('/v1/completions/derender', {
        body: { ...body, stream: false },
        signal,
      });
      // `stream` decides which of the two shapes of this path it is.
      return { data: data as Completion, error, response };
    }, options);
  }

  /** The models that the server answers to. */
  models(options: CallOptions = {}): Promise<ModelList> {
    return this.#transport.call((signal) => this.http.GET('/v1/models', { signal }), options);
  }

  /** Render, generate, derender: a message out of a chat, and the ids behind it. */
  chat(request: ChatCompletionRequest, options: CallOptions = {}): Promise<ChatAnswer> {
    return chat({ render: this, generate: this }, request, options);
  }

  /** The same, piece by piece. */
  chatStream(request: ChatCompletionRequest, options: CallOptions = {}): AsyncIterable<ChatStreamed> {
    return chatStream({ render: this, generate: this }, request, options);
  }

  /** A conversation of several turns whose ids are kept as they were generated. */
  conversation(options: ConversationOptions): Conversation {
    return new Conversation({ render: this, generate: this }, options);
  }

  #derender<T>(body: DerenderChatRequest, options: CallOptions): Promise<T> {
    return this.#transport.call<T>(async (signal) => {
      const { data, error, response } = await this.http.POST('/v1/chat/completions/derender', {
        body,
        signal,
      });
      // `stream` decides which of the two shapes of this path it is.
      return { data: data as T, error, response };
    }, options);
  }

  /** At the caller's signal tell the server; the signal given here fires once the grace is over. */
  #closeAfterAbort(id: string, signal: AbortSignal | undefined): { signal: AbortSignal; stop(): void } {
    const closing = new AbortController();
    const over = new AbortController();
    const onAbort = async (): Promise<void> => {
      void this.#transport.abortQuietly([id]);
      await pause(this.#transport.graceMs, over.signal);
      closing.abort(signal?.reason);
    };
    signal?.addEventListener('abort', onAbort);
    const stop = (): void => {
      signal?.removeEventListener('abort', onAbort);
      over.abort();
    };
    return { signal: closing.signal, stop };
  }
}
