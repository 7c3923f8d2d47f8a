import type { ChatMessage, GenerateChoice, WeightVersionSpan } from '../../../generated/types.js';

/** A rollout for a trainer; lists have one entry a token. */
export interface RolloutRecord {
  messages: ChatMessage[];
  token_ids: number[];
  /** 1 where the model sampled the token, 0 where it was given. */
  loss_mask: (0 | 1)[];
  /** Natural logarithms as sampled; null where the token was given, or the server told none. */
  logprobs: (number | null)[];
  /** Which weights sampled the tokens `[start, end)`, by position in `token_ids`. */
  weight_versions: WeightVersionSpan[];
  /** Of each answer. */
  finish_reasons: (string | null)[];
  truncated: boolean;
  [extra: string]: unknown;
}

/** Ids of a conversation with what is known of each. */
export class Transcript {
  readonly tokenIds: number[] = [];
  /** Where the answers lie. */
  readonly answers: { start: number; end: number }[] = [];
  readonly #mask: (0 | 1)[] = [];
  readonly #logprobs: (number | null)[] = [];
  readonly #versions: WeightVersionSpan[] = [];
  readonly #reasons: (string | null)[] = [];

  /** Append what was given and what was sampled after it. */
  add(
    given: readonly number[],
    { token_ids, logprobs, weight_versions, finish_reason }: GenerateChoice,
  ): void {
    for (const id of given) this.#push(id, 0, null);
    const start = this.tokenIds.length;
    const entries = logprobs?.content ?? [];
    (token_ids ?? []).forEach((id, at) => {
      this.#push(id, 1, entries[at]?.logprob ?? null);
    });
    for (const span of weight_versions ?? []) {
      this.#versions.push({ ...span, start: span.start + start, end: span.end + start });
    }
    this.answers.push({ start, end: this.tokenIds.length });
    this.#reasons.push(finish_reason ?? null);
  }

  toRecord(
    messages: ChatMessage[],
    truncated: boolean,
    extra: Readonly<Record<string, unknown>>,
  ): RolloutRecord {
    return {
      ...extra,
      messages: structuredClone(messages),
      token_ids: [...this.tokenIds],
      loss_mask: [...this.#mask],
      logprobs: [...this.#logprobs],
      weight_versions: structuredClone(this.#versions),
      finish_reasons: [...this.#reasons],
      truncated,
    };
  }

  #push(id: number, mask: 0 | 1, logprob: number | null): void {
    this.tokenIds.push(id);
    this.#mask.push(mask);
    this.#logprobs.push(logprob);
  }
}
