import { randomBytes } from 'node:crypto';
import type {
  AssistantMessage,
  ChatCompletionChunk,
  ChatCompletionRequest,
  DerenderableChunk,
  DerenderChatChunkResponse,
  DerenderChatRequest,
} from '../../../generated/types.js';
import { schemaFault, valueFault } from '../../errors.js';
import { checkServed } from '../request-fields.js';
import type { RenderSettings } from '../settings.js';
import { checkPromptLength } from './bounds.js';
import { chatDecoding, chatParser, requireChat, showsIds, topOf } from './chat.js';
import { chatLogprobs } from './logprobs.js';
import { callIdsOf, type MessageParser, wireCalls } from './message-parser.js';
import { SequenceStream } from './sequence-stream.js';
import { type StreamState, wireState } from './stream-state.js';
import { chunkUsage } from './usage.js';

/** One chunk of generate to one chunk of a chat completion, and the state for the next (`derenderChat`). Throws a 400 or 404. */
export function derenderChatChunk(
  body: DerenderChatRequest,
  settings: RenderSettings,
): DerenderChatChunkResponse {
  const { generate_chunk: chunk, chat_request: request, stream_state: wire = null } = body;
  if (!chunk) throw schemaFault('body.generate_chunk', 'generate_chunk is needed with stream: true.');
  const given = body.prompt_token_ids ?? null;
  checkServed(body.model, settings);
  requireChat(request, settings);
  checkStops(request);
  const stream = new ChatStream(request ?? null, settings);
  if (stream.isParsed && given === null && !(wire && 'version' in wire)) {
    throw valueFault(
      null,
      'prompt_token_ids is needed on the first chunk on a server with a parser: the prompt may have opened reasoning.',
    );
  }
  checkPromptLength(given, settings.maxModelLen);
  const promptIds = given ?? chunk.prompt_token_ids ?? null;
  const model = body.model || settings.servedModelNames[0]!;
  const { chunk: derendered, state } = stream.derender(chunk, stream.begin({ wire, promptIds }), {
    model,
    promptTokens: body.prompt_tokens ?? null,
  });
  return { chunk: derendered, stream_state: wireState(state) };
}

function checkStops(request: ChatCompletionRequest | null | undefined): void {
  if (request?.stop?.length) {
    throw valueFault(
      'stop',
      'Stop strings can not be found one chunk at a time: derender the whole answer, or generate with output_mode text.',
    );
  }
}

/** A chat answer that is derendered chunk by chunk, one state a sequence. */
export class ChatStream {
  readonly #parser: MessageParser | null;
  readonly #sequence: SequenceStream;
  readonly #tokenizer;

  constructor(
    private readonly request: ChatCompletionRequest | null,
    settings: RenderSettings,
  ) {
    this.#parser = chatParser(request, settings);
    const decoding = chatDecoding(request, settings);
    this.#tokenizer = decoding.tokenizer;
    const parsing = this.#parser && request && { parser: this.#parser, request };
    this.#sequence = new SequenceStream(decoding, parsing, settings);
  }

  get isParsed(): boolean {
    return this.#parser !== null;
  }

  /** The state that a call begins with. Throws a 400. */
  begin(input: Parameters<SequenceStream['begin']>[0]): StreamState {
    return this.#sequence.begin(input);
  }

  /** One chunk of generate. Throws a 400 for more than one choice. */
  derender(
    chunk: DerenderableChunk,
    state: StreamState,
    shown: { model: string; promptTokens: number | null },
  ): { chunk: ChatCompletionChunk; state: StreamState } {
    if (chunk.choices.length > 1) throw valueFault(null, 'generate_chunk may hold one choice at most.');
    const id = chunk.request_id ?? randomBytes(8).toString('hex');
    const news = chunk.choices.map((choice) => this.#news(id, choice, state));
    return {
      chunk: {
        id,
        object: 'chat.completion.chunk',
        created: Math.floor(Date.now() / 1000),
        model: shown.model,
        choices: news.map(({ choice }) => choice),
        usage: chunkUsage(chunk.usage, shown.promptTokens),
        metrics: chunk.metrics ?? null,
      },
      state: news[0]?.state ?? state,
    };
  }

  #news(id: string, choice: DerenderableChunk['choices'][number], before: StreamState) {
    const { text, piece, state } = this.#sequence.add(before, choice);
    const { index, token_ids: ids, finish_reason = null, stop_reason = null } = choice;
    const calls = piece ? wireCalls(piece.toolCalls, callIdsOf(id, index)) : [];
    const delta: AssistantMessage = {
      ...(before.roleSent ? {} : { role: 'assistant' }),
      content: piece ? piece.content : text || null,
      reasoning: piece?.reasoning ?? null,
      ...(calls.length > 0 && { tool_calls: calls }),
    };
    const endsInCalls = finish_reason !== null && state.sawCalls && this.#parser?.callsEndTheTurn;
    return {
      state,
      choice: {
        index,
        delta,
        logprobs: chatLogprobs(this.#tokenizer, choice.logprobs, before.context, topOf(this.request)),
        finish_reason: endsInCalls ? 'tool_calls' : finish_reason,
        stop_reason,
        token_ids: showsIds(this.request, this.#parser) ? (ids ?? null) : null,
      },
    };
  }
}
