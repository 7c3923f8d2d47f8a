import { signal } from '@preact/signals';
import type {
  ChatCompletionRequest,
  DerenderableChunk,
  GenerateChunk,
  GenerateLogprobs,
  GenerateRequest,
  StreamState,
  Tito,
  WeightVersionSpan,
} from '@titokens/client';
import { Batcher } from './batcher.js';
import { EMPTY, extended, type Message, messageOf } from './message.js';
import type { Sent } from './snippets.js';
import type { TokenText, Vocabulary } from './vocabulary.js';

export type Phase = 'idle' | 'rendering' | 'generating' | 'done' | 'failed';

/** A token of the prompt or of the output, in its place. */
export interface PlacedToken extends TokenText {
  /** Characters before it, and with it; from the first of the prompt, or of the output. */
  readonly start: number;
  readonly end: number;
}

export interface Alternative {
  readonly id: number;
  readonly logprob: number;
  readonly text: string | undefined;
  readonly special: boolean;
}

export interface SampledToken extends PlacedToken {
  /** Natural logarithm; null when the server told none. */
  readonly logprob: number | null;
  readonly rank: number | null;
  /** By probability. */
  readonly alternatives: readonly Alternative[];
}

/** How a sequence ended, and what it took. */
export interface Facts {
  readonly finishReason: string | null;
  readonly stopReason: string | number | null;
  readonly versions: readonly WeightVersionSpan[];
  /** Milliseconds from sending to the first token; null before it. */
  readonly firstTokenMs: number | null;
  /** Milliseconds from sending to the last token. */
  readonly totalMs: number | null;
  readonly tokens: number;
  /** After the first; null for one token. */
  readonly tokensPerSecond: number | null;
}

const NO_FACTS: Facts = {
  finishReason: null,
  stopReason: null,
  versions: [],
  firstTokenMs: null,
  totalMs: null,
  tokens: 0,
  tokensPerSecond: null,
};

interface Arrived {
  readonly ids: readonly number[];
  readonly scores: GenerateLogprobs['content'];
}

/** One press of the button: render, generate, derender, each part to be watched. */
export class Run {
  readonly phase = signal<Phase>('idle');
  readonly prompt = signal<readonly PlacedToken[] | null>(null);
  readonly output = signal<readonly SampledToken[]>([]);
  readonly message = signal<Message | null>(null);
  readonly facts = signal<Facts>(NO_FACTS);
  readonly error = signal<unknown>(null);
  readonly #abort = new AbortController();
  #states: StreamState | null = null;

  constructor(
    private readonly client: Tito,
    private readonly vocabulary: Vocabulary,
    private readonly sent: Sent,
  ) {}

  /** End it, here and at the server; what was generated stays. */
  stop(): void {
    this.#abort.abort();
  }

  /** Go through it; `generates` false ends after the prompt. Never rejects: `error` says what went wrong. */
  async go(generates: boolean): Promise<void> {
    try {
      this.phase.value = 'rendering';
      const request = await this.#rendered();
      await Promise.all([this.#showPrompt(request), generates && this.#generate(request)]);
      this.phase.value = 'done';
    } catch (error) {
      const stopped = this.#abort.signal.aborted;
      if (!stopped) this.error.value = error;
      this.phase.value = stopped ? 'done' : 'failed';
    }
  }

  async #rendered(): Promise<GenerateRequest> {
    if (this.sent.kind === 'ids') return this.sent.request;
    const request = { ...this.sent.request, stream: true, return_token_offsets: true };
    return this.client.renderChat(request, { signal: this.#abort.signal });
  }

  async #showPrompt({ token_ids: ids, token_offsets: offsets }: GenerateRequest): Promise<void> {
    const texts = await this.vocabulary.inContext(ids, [], this.#abort.signal);
    const placed = placeAfter(0, texts);
    this.prompt.value = offsets
      ? placed.map((token, at) => ({ ...token, start: offsets[at]![0]!, end: offsets[at]![1]! }))
      : placed;
  }

  async #generate(request: GenerateRequest): Promise<void> {
    this.phase.value = 'generating';
    const texts = new Batcher<Arrived>((batch) => this.#showTokens(request, batch));
    const chat = this.sent.kind === 'chat' ? this.sent.request : null;
    const pieces = chat && new Batcher<GenerateChunk>((batch) => this.#showMessage(chat, request, batch));
    const { token_offsets: _, ...plain } = request;
    const stream = this.client.stream(plain, { signal: this.#abort.signal });
    const sentAt = performance.now();
    for await (const chunk of stream) {
      const choice = chunk.choices[0];
      if (!choice) continue;
      const ids = choice.token_ids ?? [];
      this.#note(choice, ids.length, performance.now() - sentAt);
      if (ids.length > 0)
        texts.add({ ids, scores: (choice.logprobs as GenerateLogprobs | null)?.content ?? [] });
      pieces?.add(chunk);
    }
    await texts.drained();
    await pieces?.drained();
    if (chat) await this.#showWholeMessage(chat, request, stream.choices);
  }

  #note(choice: GenerateChunk['choices'][number], count: number, now: number): void {
    const old = this.facts.peek();
    const tokens = old.tokens + count;
    const firstTokenMs = old.firstTokenMs ?? (count > 0 ? now : null);
    const totalMs = count > 0 ? now : old.totalMs;
    const seconds = firstTokenMs === null || totalMs === null ? 0 : (totalMs - firstTokenMs) / 1000;
    this.facts.value = {
      finishReason: choice.finish_reason ?? old.finishReason,
      stopReason: choice.stop_reason ?? old.stopReason,
      versions: choice.weight_versions ?? old.versions,
      firstTokenMs,
      totalMs,
      tokens,
      tokensPerSecond: seconds > 0 && tokens > 1 ? (tokens - 1) / seconds : null,
    };
  }

  async #showTokens(request: GenerateRequest, batch: readonly Arrived[]): Promise<void> {
    const old = this.output.peek();
    const ids = batch.flatMap((arrived) => arrived.ids);
    const scores = batch.flatMap((arrived) => arrived.scores);
    const before = [...request.token_ids, ...old.map(({ id }) => id)];
    await this.vocabulary.learn(
      scores.flatMap(({ top_logprobs }) => (top_logprobs ?? []).map(({ token_id }) => token_id)),
    );
    const texts = await this.vocabulary.inContext(ids, before);
    const sampled = placeAfter(old.at(-1)?.end ?? 0, texts).map((token, at) =>
      this.#scored(token, scores[at]),
    );
    this.output.value = [...old, ...sampled];
  }

  #scored(token: PlacedToken, score: GenerateLogprobs['content'][number] | undefined): SampledToken {
    const seen = new Map((score?.top_logprobs ?? []).map((entry) => [entry.token_id, entry.logprob]));
    const alternatives = [...seen].map(([id, logprob]) => {
      const known = this.vocabulary.alone(id);
      return { id, logprob, text: known?.text, special: known?.special ?? false };
    });
    alternatives.sort((a, b) => b.logprob - a.logprob);
    return { ...token, logprob: score?.logprob ?? null, rank: score?.rank ?? null, alternatives };
  }

  /** Several chunks of a sequence are one longer chunk. */
  async #showMessage(
    chat: ChatCompletionRequest,
    request: GenerateRequest,
    batch: readonly GenerateChunk[],
  ): Promise<void> {
    const last = batch.at(-1)!;
    const ids = batch.flatMap(({ choices }) => choices[0]?.token_ids ?? []);
    const { index, finish_reason, stop_reason } = last.choices[0]!;
    const generate_chunk: DerenderableChunk = {
      request_id: last.request_id,
      choices: [
        { index, token_ids: ids, finish_reason: finish_reason ?? null, stop_reason: stop_reason ?? null },
      ],
    };
    const { chunk, stream_state } = await this.client.derenderChatChunk({
      ...contextOf(chat, request),
      generate_chunk,
      stream_state: this.#states,
    });
    this.#states = stream_state;
    this.message.value = extended(this.message.peek() ?? EMPTY, chunk);
  }

  /** The whole answer has the last word: streams may show the beginning of a call that came to nothing. */
  async #showWholeMessage(
    chat: ChatCompletionRequest,
    request: GenerateRequest,
    choices: GenerateChunk['choices'],
  ): Promise<void> {
    if (!choices[0]?.token_ids?.length) return;
    const [{ index, token_ids, finish_reason, stop_reason }] = choices as [GenerateChunk['choices'][number]];
    const whole = {
      index,
      token_ids,
      finish_reason: finish_reason ?? null,
      stop_reason: stop_reason ?? null,
    };
    const completion = await this.client.derenderChat({
      ...contextOf(chat, request),
      generate_response: { choices: [whole] },
    });
    this.message.value = messageOf(completion);
  }
}

function contextOf(chat_request: ChatCompletionRequest, { token_ids }: GenerateRequest) {
  return { chat_request, prompt_token_ids: token_ids, prompt_tokens: token_ids.length };
}

/** Where each token stands in the text, in characters. */
function placeAfter(start: number, texts: readonly TokenText[]): PlacedToken[] {
  let at = start;
  return texts.map((token) => {
    const from = at;
    at += [...token.text].length;
    return { ...token, start: from, end: at };
  });
}
