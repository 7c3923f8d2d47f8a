import type {
  AssistantMessage,
  ChatChoice,
  ChatCompletion,
  ChatCompletionChunk,
  ChatCompletionRequest,
  ChatLogprobs,
} from '../../generated/types.js';
import { chatParser, reasoningContext, showsIds, topOf } from '../render/derender/chat.js';
import {
  callIdsOf,
  type MessageParser,
  type ParserState,
  wireCalls,
} from '../render/derender/message-parser.js';
import type { ReasoningContext } from '../render/parsers/parser.js';
import type { RenderSettings } from '../render/settings.js';
import type { Answer } from '../tokens/answer.js';
import type { ChoiceNews } from '../tokens/choice-reader.js';
import { gather, promptFields, withDetails } from '../tokens/full-response.js';
import type { ParsedGenerate } from '../tokens/parse-request.js';
import type { GenerateSettings } from '../tokens/settings.js';
import { spaced } from '../tokens/stream-interval.js';
import { ChoiceWriter, usageOf } from '../tokens/wire-choice.js';

/** A chat that is rendered, generated and parsed inside one server: the answer of `chatCompletion`. */
export class ChatAnswer {
  readonly #parser: MessageParser | null;
  readonly #context: ReasoningContext | null;
  /** The last message's text, when it is to stand before the answer. */
  readonly #echo: string;
  readonly #created = Math.floor(Date.now() / 1000);

  constructor(
    private readonly request: ChatCompletionRequest,
    /** The rendered request, in the mode `text`. */
    private readonly parsed: ParsedGenerate,
    private readonly settings: GenerateSettings,
    render: RenderSettings,
  ) {
    this.#parser = chatParser(request, render);
    this.#context =
      this.#parser && reasoningContext(request, Array.from(parsed.engineRequest.tokenIds), render);
    this.#echo = request.echo ? lastText(request) : '';
  }

  /** Read the answer to its end. */
  async whole(answer: Answer): Promise<ChatCompletion> {
    const news = await gather(answer);
    const { parsed, settings } = this;
    const { prompt_logprobs = null } = promptFields(parsed, answer.prompt, settings);
    const usage = usageOf(parsed.engineRequest.tokenIds.length, answer.completionTokens);
    return {
      ...this.#head('chat.completion'),
      choices: news.map((one) => this.#choice(one)),
      usage: withDetails(usage, answer.prompt, settings),
      prompt_logprobs,
      prompt_token_ids: parsed.returnTokenIds ? [...parsed.engineRequest.tokenIds] : null,
    };
  }

  /** The answer as it comes: the role of each sequence, what is added, and usage when asked for. */
  async *chunks(answer: Answer): AsyncGenerator<ChatCompletionChunk> {
    const { parsed, settings } = this;
    const sequences = new Map<number, SequenceWriter>();
    let isFirst = true;
    for await (const news of spaced(answer, parsed.streamInterval)) {
      let sequence = sequences.get(news.index);
      if (!sequence) {
        sequence = new SequenceWriter(this.request, parsed, settings, this.#parser, this.#context);
        sequences.set(news.index, sequence);
        const prompt = isFirst && parsed.returnTokenIds ? [...parsed.engineRequest.tokenIds] : null;
        yield { ...this.#chunk(news, { role: 'assistant', content: this.#echo }), prompt_token_ids: prompt };
        isFirst = false;
      }
      const choice = sequence.write(news);
      if (choice)
        yield { ...this.#head('chat.completion.chunk'), choices: [choice], ...this.#usage(sequence) };
    }
    if (!parsed.includeUsage) return;
    const usage = usageOf(parsed.engineRequest.tokenIds.length, answer.completionTokens);
    yield {
      ...this.#head('chat.completion.chunk'),
      choices: [],
      usage: withDetails(usage, answer.prompt, settings),
    };
  }

  #head<Kind extends string>(object: Kind) {
    return {
      id: this.parsed.requestId,
      object,
      created: this.#created,
      model: this.settings.servedModelNames[0]!,
    };
  }

  #chunk({ index }: ChoiceNews, delta: AssistantMessage): ChatCompletionChunk {
    return {
      ...this.#head('chat.completion.chunk'),
      choices: [{ index, delta, logprobs: null, finish_reason: null }],
    };
  }

  #usage({ tokens }: SequenceWriter): Partial<ChatCompletionChunk> {
    const { includeUsage, continuousUsage, engineRequest } = this.parsed;
    return includeUsage && continuousUsage ? { usage: usageOf(engineRequest.tokenIds.length, tokens) } : {};
  }

  #choice(news: ChoiceNews): ChatChoice {
    const {
      text = '',
      logprobs,
      finish_reason = null,
      stop_reason = null,
    } = written(news, this.parsed, this.settings);
    const message: AssistantMessage = this.#parser
      ? this.#parser.whole(text ?? '', this.#context!, callIdsOf(this.parsed.requestId, news.index))
      : { role: 'assistant', content: text };
    if (this.#echo) message.content = this.#echo + (message.content ?? '');
    const endsInCalls = 'tool_calls' in message && finish_reason === 'stop' && this.#parser?.callsEndTheTurn;
    return {
      index: news.index,
      message,
      logprobs: cut(logprobs as ChatLogprobs | null, topOf(this.request)),
      finish_reason: endsInCalls ? 'tool_calls' : finish_reason,
      stop_reason,
      token_ids: showsIds(this.request, this.#parser) ? news.tokenIds : null,
    };
  }
}

/** Writes the deltas of one sequence. */
class SequenceWriter {
  tokens = 0;
  readonly #writer: ChoiceWriter;
  #state: ParserState | null;
  #sawCalls = false;

  constructor(
    private readonly request: ChatCompletionRequest,
    private readonly parsed: ParsedGenerate,
    settings: GenerateSettings,
    private readonly parser: MessageParser | null,
    context: ReasoningContext | null,
  ) {
    this.#writer = new ChoiceWriter(parsed, settings);
    this.#state = parser && context && parser.start(context);
  }

  /** Null when there is nothing to tell. */
  write(news: ChoiceNews): ChatCompletionChunk['choices'][number] | null {
    this.tokens += news.tokenIds.length;
    const { text, logprobs, finish_reason = null, stop_reason = null } = this.#writer.write(news);
    const delta = this.#delta(text ?? '', finish_reason !== null, news.index);
    const ids = showsIds(this.request, this.parser) ? news.tokenIds : null;
    const isSilent = Object.keys(delta).length === 0 && finish_reason === null && !logprobs && !ids?.length;
    if (isSilent) return null;
    const endsInCalls = finish_reason !== null && this.#sawCalls && this.parser?.callsEndTheTurn;
    return {
      index: news.index,
      delta: this.parser || Object.keys(delta).length > 0 ? delta : { content: '' },
      logprobs: cut(logprobs as ChatLogprobs | null, topOf(this.request)),
      finish_reason: endsInCalls ? 'tool_calls' : finish_reason,
      ...(finish_reason !== null && { stop_reason }),
      token_ids: ids,
    };
  }

  #delta(text: string, isLast: boolean, index: number): AssistantMessage {
    if (!this.parser || !this.#state) return text === '' ? {} : { content: text };
    const { piece, state, sawCalls } = this.parser.push(this.#state, text, isLast);
    this.#state = state;
    this.#sawCalls ||= sawCalls;
    const calls = wireCalls(piece.toolCalls, callIdsOf(this.parsed.requestId, index));
    return {
      ...(piece.reasoning && { reasoning: piece.reasoning }),
      ...(piece.content && { content: piece.content }),
      ...(calls.length > 0 && { tool_calls: calls }),
    };
  }
}

function written(news: ChoiceNews, parsed: ParsedGenerate, settings: GenerateSettings) {
  return new ChoiceWriter(parsed, settings).write(news);
}

/** Keep as many candidates as were asked for. */
function cut(logprobs: ChatLogprobs | null, most: number | null): ChatLogprobs | null {
  if (!logprobs || most === null) return logprobs;
  return {
    content: (logprobs.content ?? []).map((entry) => ({
      ...entry,
      top_logprobs: entry.top_logprobs?.slice(0, most) ?? [],
    })),
  };
}

/** The text of the last message when it is the assistant's. */
function lastText({ messages }: ChatCompletionRequest): string {
  const last = messages.at(-1);
  return last?.role === 'assistant' && typeof last.content === 'string' ? last.content : '';
}
