import type {
  ChatCompletion,
  ChatCompletionChunk,
  ChatCompletionRequest,
  DerenderableChunk,
  DerenderableResponse,
  DerenderChatRequest,
  GenerateChunk,
  GenerateRequest,
  GenerateResponse,
  StreamState,
} from '../../../generated/types.js';
import type { Tito } from './client.js';
import type { CallOptions } from './options.js';

/** Where the halves of a chat are answered: a render server needs no model, a generate server no tokenizer. */
export interface Servers {
  readonly render: Pick<Tito, 'renderChat' | 'derenderChat' | 'derenderChatChunk'>;
  readonly generate: Pick<Tito, 'generate' | 'stream'>;
}

export interface ChatAnswer {
  /** What was generated from: prompt ids and sampling. */
  readonly rendered: GenerateRequest;
  /** The ids that came out, with logprobs and weight versions. */
  readonly generated: GenerateResponse;
  /** The message, with reasoning and tool calls. */
  readonly completion: ChatCompletion;
}

export interface ChatStreamed {
  readonly rendered: GenerateRequest;
  /** A chunk as it was generated. */
  readonly generated: GenerateChunk;
  /** The piece of a message that it is. */
  readonly chunk: ChatCompletionChunk;
}

/** Render, generate and derender one chat. The signal ends the generating; what came out until then is derendered. */
export async function chat(
  servers: Servers,
  request: ChatCompletionRequest,
  options: CallOptions = {},
): Promise<ChatAnswer> {
  const rendered = await servers.render.renderChat({ ...request, stream: false }, onlyTo(options));
  const generated = await servers.generate.generate(rendered, options);
  const completion = await servers.render.derenderChat(
    { ...contextOf(request, rendered), generate_response: generated as DerenderableResponse },
    afterAbort(options),
  );
  return { rendered, generated, completion };
}

/** The same, one chunk at a time; each sequence has a state of its own, which travels from call to call. */
export async function* chatStream(
  servers: Servers,
  request: ChatCompletionRequest,
  options: CallOptions = {},
): AsyncGenerator<ChatStreamed, void, undefined> {
  const rendered = await servers.render.renderChat({ ...request, stream: true }, onlyTo(options));
  const context = contextOf(request, rendered);
  const states = new Map<number, StreamState>();
  for await (const generated of servers.generate.stream(rendered, options)) {
    const index = generated.choices[0]?.index ?? -1;
    const { chunk, stream_state } = await servers.render.derenderChatChunk(
      {
        ...context,
        generate_chunk: generated as DerenderableChunk,
        stream_state: states.get(index) ?? null,
      },
      afterAbort(options),
    );
    states.set(index, stream_state);
    yield { rendered, generated, chunk };
  }
}

/** The whole prompt each time: some servers need it with every chunk. */
function contextOf(chat_request: ChatCompletionRequest, rendered: GenerateRequest): DerenderChatRequest {
  return {
    chat_request,
    prompt_token_ids: rendered.token_ids,
    prompt_tokens: rendered.token_ids.length,
    ...(rendered.model != null && { model: rendered.model }),
  };
}

/** One id names one request, and it is generate's. */
const onlyTo = ({ requestId: _, ...rest }: CallOptions): CallOptions => rest;

/** Derendering goes on after an abort: what was generated is still worth a message. */
const afterAbort = ({ requestId: _, signal: __, ...rest }: CallOptions): CallOptions => rest;
