import { randomBytes } from 'node:crypto';
import type {
  ChatChoice,
  ChatCompletion,
  ChatCompletionRequest,
  DerenderableChoice,
  DerenderableResponse,
  DerenderChatRequest,
} from '../../../generated/types.js';
import { schemaFault, valueFault } from '../../errors.js';
import { planChat } from '../chat-request.js';
import type { ReasoningContext } from '../parsers/parser.js';
import { textTools } from '../prompt.js';
import { checkServed } from '../request-fields.js';
import type { RenderSettings } from '../settings.js';
import { checkBounds, checkPromptLength } from './bounds.js';
import { type Decoding, NO_IDS, wholeText } from './decoding.js';
import { chatLogprobs } from './logprobs.js';
import { callIdsOf, MessageParser } from './message-parser.js';
import { usageOf } from './usage.js';

/** A whole answer of generate to a chat completion (`derenderChat`). Throws a 400 or 404. */
export function derenderChat(body: DerenderChatRequest, settings: RenderSettings): ChatCompletion {
  const { generate_response: answer, prompt_token_ids: promptIds, chat_request: request } = body;
  if (!answer) throw schemaFault('body.generate_response', 'generate_response is needed (or stream: true).');
  checkServed(body.model, settings);
  checkBounds([answer], settings);
  checkPromptLength(promptIds, settings.maxModelLen);
  requireChat(request, settings);
  return chatCompletion(
    answer,
    { request: request ?? null, promptIds: promptIds ?? answer.prompt_token_ids ?? [] },
    { promptTokens: body.prompt_tokens ?? 0, model: body.model || settings.servedModelNames[0]! },
    settings,
  );
}

/** A 400 when a parser has no request to go by. */
export function requireChat(
  request: ChatCompletionRequest | null | undefined,
  { parsers }: RenderSettings,
): void {
  if ((parsers.tool || parsers.reasoning) && !request) {
    throw valueFault(
      null,
      'chat_request is needed on a server with a tool or reasoning parser: send the request that was rendered.',
    );
  }
}

/** The chat that was answered. */
export interface AnsweredChat {
  request: ChatCompletionRequest | null;
  promptIds: readonly number[];
}

/** The chat completion of a whole answer that was checked. Throws a 400 for a sequence without ids. */
export function chatCompletion(
  answer: DerenderableResponse,
  chat: AnsweredChat,
  shown: { promptTokens: number; model: string },
  settings: RenderSettings,
): ChatCompletion {
  const id = answer.request_id ?? randomBytes(8).toString('hex');
  const writer = new ChatChoiceWriter(id, chat, settings);
  const outputTokens = answer.choices.reduce((sum, { token_ids: ids }) => sum + (ids?.length ?? 0), 0);
  return {
    id,
    object: 'chat.completion',
    created: Math.floor(Date.now() / 1000),
    model: shown.model,
    choices: answer.choices.map((choice) => writer.write(choice)),
    usage: usageOf(shown.promptTokens, outputTokens),
    prompt_logprobs: answer.prompt_logprobs ?? null,
    kv_transfer_params: answer.kv_transfer_params ?? null,
    metrics: answer.metrics ?? null,
  };
}

class ChatChoiceWriter {
  readonly #decoding: Decoding;
  readonly #parser: MessageParser | null;
  readonly #context: ReasoningContext | null;

  constructor(
    private readonly id: string,
    private readonly chat: AnsweredChat,
    settings: RenderSettings,
  ) {
    this.#decoding = chatDecoding(chat.request, settings);
    const { request, promptIds } = chat;
    this.#parser = chatParser(request, settings);
    this.#context = request && reasoningContext(request, promptIds, settings);
  }

  write(choice: DerenderableChoice): ChatChoice {
    const { index, token_ids: ids, logprobs, finish_reason = null, stop_reason = null } = choice;
    if (!ids?.length) throw valueFault(null, `Choice ${index} has no token_ids.`);
    const { request, promptIds } = this.chat;
    const text = wholeText(choice, promptIds, this.#decoding);
    const message = this.#parser
      ? this.#parser.whole(text, this.#context!, callIdsOf(this.id, index))
      : { role: 'assistant', content: text };
    const endsInCalls = 'tool_calls' in message && finish_reason === 'stop' && this.#parser?.callsEndTheTurn;
    return {
      index,
      message,
      logprobs: chatLogprobs(this.#decoding.tokenizer, logprobs, [], topOf(request)),
      finish_reason: endsInCalls ? 'tool_calls' : finish_reason,
      stop_reason,
      token_ids: showsIds(request, this.#parser) ? ids : null,
    };
  }
}

/** How a chat's outputs are decoded; parsers see special tokens. */
export function chatDecoding(request: ChatCompletionRequest | null, settings: RenderSettings): Decoding {
  const { tokenizer, hiddenIds } = textTools(settings);
  const isParsed = chatParser(request, settings) !== null;
  const showsAll = isParsed || request?.skip_special_tokens === false;
  return { tokenizer, hiddenIds: showsAll ? NO_IDS : hiddenIds, request, eosId: settings.eosId };
}

/** Null when there is nothing to parse with. */
export function chatParser(
  request: ChatCompletionRequest | null,
  { parsers }: RenderSettings,
): MessageParser | null {
  return request && (parsers.tool || parsers.reasoning) ? new MessageParser(parsers, request) : null;
}

/** What a reasoning parser is told before the first output. */
export function reasoningContext(
  request: ChatCompletionRequest,
  promptIds: readonly number[],
  settings: RenderSettings,
): ReasoningContext {
  return {
    prompt: settings.parsers.reasoning ? textTools(settings).tokenizer.decode(promptIds, false) : '',
    templateKwargs: planChat(request, settings).chat.variables,
  };
}

/** Entries of `top_logprobs` that the request asked for; null = all. */
export function topOf(request: ChatCompletionRequest | null): number | null {
  const asked = request?.top_logprobs;
  return asked == null || asked < 0 || request?.logprob_token_ids?.length ? null : asked;
}

/** Whether token ids are shown; hidden reasoning would show in them. */
export function showsIds(request: ChatCompletionRequest | null, parser: MessageParser | null): boolean {
  return request?.return_token_ids === true && (!parser || request.include_reasoning !== false);
}
