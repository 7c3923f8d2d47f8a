import type {
  AssistantMessage,
  ChatCompletionRequest,
  ChatMessage,
  DerenderableResponse,
  GenerateChoice,
  GenerateRequest,
  SamplingParams,
} from '../../../generated/types.js';
import type { Servers } from './chat.js';
import { type Divergence, firstDivergence } from './divergence.js';
import { UsageError } from './errors.js';
import type { CallOptions } from './options.js';
import { type RolloutRecord, Transcript } from './transcript.js';
import { closingOf, continuationOf, type Template, withoutOverlap } from './turn-tokens.js';

export interface ConversationOptions {
  /** Turns before the first answer: system, user, or a whole history. */
  messages: readonly ChatMessage[];
  tools?: ChatCompletionRequest['tools'];
  chat_template_kwargs?: ChatCompletionRequest['chat_template_kwargs'];
  /** For each answer; `max_tokens` is cut to what is left of `contextLength`. Logprobs are always asked for. */
  sampling?: Partial<SamplingParams>;
  /** Longest conversation in tokens. An answer that would not fit is cut, and ends it. */
  contextLength: number;
  model?: string;
}

export interface ReplyOptions extends CallOptions {
  /** For this answer, over the conversation's own. */
  sampling?: Partial<SamplingParams>;
}

export interface Turn {
  readonly message: AssistantMessage;
  readonly choice: GenerateChoice;
}

/**
 * A chat of several turns as the token ids that the model really saw and sampled. Each answer's ids are kept as they
 * came out, and the next turn's are put after them: nothing generated is ever turned to text and back into ids.
 */
export class Conversation {
  readonly messages: ChatMessage[];
  readonly #servers: Servers;
  readonly #options: ConversationOptions;
  readonly #transcript = new Transcript();
  /** How many messages the ids hold. */
  #rendered = 0;
  #truncated = false;
  #busy = false;

  constructor(servers: Servers, options: ConversationOptions) {
    this.#servers = servers;
    this.#options = options;
    this.messages = [...options.messages];
  }

  /** All ids so far. Those of one turn are a prefix of those of the next. */
  get tokenIds(): readonly number[] {
    return this.#transcript.tokenIds;
  }

  /** True once the context was full: no further turn fits, and the last answer may be cut. */
  get truncated(): boolean {
    return this.#truncated;
  }

  /** Add turns for the model to answer: the user's, or results of tools. */
  add(...messages: readonly ChatMessage[]): void {
    this.messages.push(...messages);
  }

  /** Let the model answer. Null when the context has no room for an answer; the turns added since are left out then. */
  async reply({ sampling, ...options }: ReplyOptions = {}): Promise<Turn | null> {
    if (this.#busy) throw new UsageError('A conversation has one answer at a time: await the one before.');
    this.#busy = true;
    try {
      return await this.#reply(options, { ...this.#options.sampling, ...sampling });
    } finally {
      this.#busy = false;
    }
  }

  /** What rendering the messages anew would give, and where it leaves the ids that the model saw; null: nowhere. */
  async divergence(options: CallOptions = {}): Promise<Divergence | null> {
    const shown = this.messages.slice(0, this.#rendered);
    const { token_ids } = await this.#render(shown, { add_generation_prompt: false }, options);
    // A conversation ends where the model ended; the template closes the turn.
    return firstDivergence(this.tokenIds, token_ids, this.#transcript.answers);
  }

  /** For a trainer, with anything of yours beside it. */
  toRecord(extra: Readonly<Record<string, unknown>> = {}): RolloutRecord {
    const messages = this.messages.slice(0, this.#rendered);
    return this.#transcript.toRecord(messages, this.#truncated, extra);
  }

  /** The record as a line of JSON, with its line end. */
  toJsonLine(extra: Readonly<Record<string, unknown>> = {}): string {
    return `${JSON.stringify(this.toRecord(extra))}\n`;
  }

  async #reply(options: CallOptions, sampling: Partial<SamplingParams>): Promise<Turn | null> {
    options.signal?.throwIfAborted();
    const added = await this.#added(options);
    const prompt = [...this.tokenIds, ...added];
    const room = this.#options.contextLength - prompt.length;
    if (room < 1) {
      this.#truncated = true;
      return null;
    }
    const answer = await this.#servers.generate.generate(this.#request(prompt, room, sampling), options);
    const choice = answer.choices[0]!;
    assertSame(prompt, answer.prompt_token_ids);
    const message = await this.#message(prompt, answer as DerenderableResponse, options);
    this.#transcript.add(added, choice);
    this.messages.push(message as ChatMessage);
    this.#rendered = this.messages.length;
    if (choice.finish_reason === 'length' && choice.token_ids?.length === room) this.#truncated = true;
    return { message, choice };
  }

  /** The ids to put after the ones there are: the whole first prompt, or what follows an answer. */
  async #added(options: CallOptions): Promise<number[]> {
    if (this.#rendered === 0) return (await this.#render(this.messages, {}, options)).token_ids;
    const fresh = this.messages.slice(this.#rendered);
    if (fresh.length === 0) throw new UsageError('Nothing to answer: add a turn first.');
    const template: Template = async (messages, how) =>
      (await this.#render(messages, how, options)).token_ids;
    const closing = await closingOf(template);
    const continuation = await continuationOf(template, this.messages[this.#rendered - 1]!, fresh);
    return [...withoutOverlap(this.tokenIds, closing), ...continuation];
  }

  #request(token_ids: number[], room: number, sampling: Partial<SamplingParams>): GenerateRequest {
    const { model } = this.#options;
    return {
      token_ids,
      ...(model !== undefined && { model }),
      return_token_ids: true,
      sampling_params: {
        ...sampling,
        logprobs: sampling.logprobs ?? 0,
        max_tokens: Math.min(sampling.max_tokens ?? room, room),
        n: 1,
      },
    };
  }

  async #message(
    prompt: number[],
    generate_response: DerenderableResponse,
    options: CallOptions,
  ): Promise<AssistantMessage> {
    const { model } = this.#options;
    // An answer aborted before its first token has no ids to derender.
    if (!generate_response.choices[0]?.token_ids?.length) return { role: 'assistant', content: '' };
    const { choices } = await this.#servers.render.derenderChat(
      {
        generate_response,
        prompt_token_ids: prompt,
        chat_request: this.#chatRequest(this.messages, {}),
        ...(model !== undefined && { model }),
      },
      withoutIdAndSignal(options),
    );
    const { role, content = null, reasoning, tool_calls } = choices[0]!.message;
    return {
      role: role ?? 'assistant',
      content,
      ...(reasoning != null && { reasoning }),
      ...(tool_calls != null && tool_calls.length > 0 && { tool_calls }),
    };
  }

  #render(
    messages: readonly ChatMessage[],
    how: Partial<ChatCompletionRequest>,
    options: CallOptions,
  ): Promise<GenerateRequest> {
    const { requestId: _, ...rest } = options;
    return this.#servers.render.renderChat(this.#chatRequest(messages, how), rest);
  }

  #chatRequest(messages: readonly ChatMessage[], how: Partial<ChatCompletionRequest>): ChatCompletionRequest {
    const { tools, chat_template_kwargs, model } = this.#options;
    return {
      messages: [...messages],
      // Rendering checks that an answer fits; here that is seen to when it is asked for.
      max_tokens: 1,
      ...(tools != null && { tools }),
      ...(chat_template_kwargs != null && { chat_template_kwargs }),
      ...(model !== undefined && { model }),
      ...how,
    };
  }
}

/** The server must have seen the very ids that were sent; older ones do not echo them. */
function assertSame(sent: readonly number[], echoed: readonly number[] | null | undefined): void {
  if (!echoed) return;
  if (echoed.length !== sent.length || echoed.some((id, at) => id !== sent[at])) {
    throw new UsageError('The server generated from other ids than it was sent.');
  }
}

const withoutIdAndSignal = ({ requestId: _, signal: __, ...rest }: CallOptions): CallOptions => rest;
