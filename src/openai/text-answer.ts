import type {
  ChatLogprobs,
  Completion,
  CompletionChoice,
  CompletionChunk,
  CompletionLogprobs,
  CompletionRequest,
} from '../../generated/types.js';
import { topOf } from '../render/derender/completion.js';
import { completionLogprobs } from '../render/derender/logprobs.js';
import type { Answer } from '../tokens/answer.js';
import type { ChoiceNews } from '../tokens/choice-reader.js';
import { gather, promptFields } from '../tokens/full-response.js';
import type { ParsedGenerate } from '../tokens/parse-request.js';
import type { GenerateSettings } from '../tokens/settings.js';
import { spaced } from '../tokens/stream-interval.js';
import { ChoiceWriter, usageOf } from '../tokens/wire-choice.js';
import { merged } from './merged.js';

/** One prompt of a completion request and what the engine answers. */
export interface PromptAnswer {
  /** The rendered request, in the mode `text`. */
  parsed: ParsedGenerate;
  answer: Answer;
}

/** Prompts that are rendered, generated and decoded inside one server: the answer of `completion`. */
export class TextAnswer {
  readonly #created = Math.floor(Date.now() / 1000);

  constructor(
    private readonly request: CompletionRequest,
    private readonly requestId: string,
    private readonly prompts: readonly PromptAnswer[],
    private readonly settings: GenerateSettings,
  ) {}

  /** Read every answer to its end. */
  async whole(): Promise<Completion> {
    const gathered = await Promise.all(this.prompts.map(({ answer }) => gather(answer)));
    const choices = gathered.flatMap((news, at) => news.map((one) => this.#choice(one, at)));
    return {
      ...this.#head(),
      choices,
      usage: usageOf(this.#promptTokens(), this.#outputTokens()),
    };
  }

  /** The answers as they come, and usage when asked for. */
  async *chunks(): AsyncGenerator<CompletionChunk> {
    const [{ parsed }] = this.prompts as [PromptAnswer];
    const streams = this.prompts.map(({ answer }) => spaced(answer, parsed.streamInterval));
    const sequences = new Map<number, SequenceWriter>();
    for await (const { from, value: news } of merged(streams)) {
      const index = this.#indexOf(news, from);
      let sequence = sequences.get(index);
      if (!sequence) {
        sequence = new SequenceWriter(this.request, this.prompts[from]!.parsed, this.settings, index);
        sequences.set(index, sequence);
      }
      const choice = sequence.write(news);
      if (choice) yield { ...this.#head(), choices: [choice], ...this.#usage(sequence, from) };
    }
    if (!parsed.includeUsage) return;
    yield { ...this.#head(), choices: [], usage: usageOf(this.#promptTokens(), this.#outputTokens()) };
  }

  #head() {
    const { requestId: id, settings } = this;
    return {
      id,
      object: 'text_completion',
      created: this.#created,
      model: settings.servedModelNames[0]!,
    };
  }

  #usage({ tokens }: SequenceWriter, from: number): Partial<CompletionChunk> {
    const { includeUsage, continuousUsage, engineRequest } = this.prompts[from]!.parsed;
    return includeUsage && continuousUsage ? { usage: usageOf(engineRequest.tokenIds.length, tokens) } : {};
  }

  /** Choices are numbered over all prompts. */
  #indexOf({ index }: ChoiceNews, from: number): number {
    return from * this.prompts[from]!.parsed.engineRequest.sampling.n + index;
  }

  #promptTokens(): number {
    return this.prompts.reduce((sum, { parsed }) => sum + parsed.engineRequest.tokenIds.length, 0);
  }

  #outputTokens(): number {
    return this.prompts.reduce((sum, { answer }) => sum + answer.completionTokens, 0);
  }

  #choice(news: ChoiceNews, from: number): CompletionChoice {
    const { parsed, answer } = this.prompts[from]!;
    const sequence = new SequenceWriter(this.request, parsed, this.settings, this.#indexOf(news, from));
    const { prompt_logprobs = null } = promptFields(parsed, answer.prompt, this.settings);
    return {
      ...sequence.write(news)!,
      prompt_logprobs,
      prompt_token_ids: parsed.returnTokenIds ? [...parsed.engineRequest.tokenIds] : null,
    };
  }
}

/** Writes the texts of one sequence. */
class SequenceWriter {
  tokens = 0;
  readonly #writer: ChoiceWriter;
  #offset = 0;
  #begun = false;

  constructor(
    private readonly request: CompletionRequest,
    private readonly parsed: ParsedGenerate,
    private readonly settings: GenerateSettings,
    private readonly index: number,
  ) {
    this.#writer = new ChoiceWriter(parsed, settings);
  }

  /** Null when there is nothing to tell. */
  write(news: ChoiceNews): CompletionChoice | null {
    this.tokens += news.tokenIds.length;
    const { text, logprobs, finish_reason = null, stop_reason = null } = this.#writer.write(news);
    const before = this.#begun ? '' : this.#echo();
    const shown = this.#isEchoAlone() ? before : before + (text ?? '');
    if (this.#begun && shown === '' && finish_reason === null && !logprobs) return null;
    this.#begun = true;
    const described = this.#logprobs(logprobs as ChatLogprobs | null, this.#offset + [...before].length);
    this.#offset += [...shown].length;
    return {
      index: this.index,
      text: shown,
      logprobs: described,
      finish_reason,
      stop_reason,
      token_ids: this.parsed.returnTokenIds ? news.tokenIds : null,
    };
  }

  #logprobs(logprobs: ChatLogprobs | null, offset: number): CompletionLogprobs | null {
    const most = topOf(this.request);
    if (!logprobs || most === null) return completionLogprobs(logprobs, offset);
    const content = (logprobs.content ?? []).map((entry) => ({
      ...entry,
      top_logprobs: entry.top_logprobs?.slice(0, most) ?? [],
    }));
    return completionLogprobs({ content }, offset);
  }

  /** The prompt's text, when it is to stand before the output. */
  #echo(): string {
    if (!this.request.echo) return '';
    return this.settings.tokenizer?.decode(this.parsed.engineRequest.tokenIds, true) ?? '';
  }

  /** With `max_tokens: 0` the token that had to be sampled is not shown. */
  #isEchoAlone(): boolean {
    return this.request.echo === true && this.request.max_tokens === 0;
  }
}
