import type { DerenderCompletionRequest, Tito } from '@titokens/client';

/** What a token is, wherever it stands. */
export interface TokenText {
  readonly id: number;
  /** Empty for a piece of a character; the piece that completes it has all of it. */
  readonly text: string;
  /** A name of the vocabulary that is left out of texts, such as the end of a turn. */
  readonly special: boolean;
}

/** Ids before a token that its text may depend on: the bytes of one character. */
const CONTEXT = 4;

/**
 * The texts of ids, through derender, which is where the server knows them. Special tokens are told apart by the text
 * that they leave: none, though they have a name.
 */
export class Vocabulary {
  readonly #alone = new Map<number, TokenText>();

  constructor(private readonly client: Tito) {}

  /** Ids in a row, `before` being the ids in front of them. */
  async inContext(
    ids: readonly number[],
    before: readonly number[],
    signal?: AbortSignal,
  ): Promise<TokenText[]> {
    if (ids.length === 0) return [];
    const context = before.slice(-CONTEXT);
    const names = await this.#ask([...context, ...ids], ids, signal);
    return ids.map((id, at) => ({ ...this.alone(id)!, text: names[context.length + at] ?? '' }));
  }

  /** Make `alone` know these ids. */
  async learn(ids: readonly number[], signal?: AbortSignal): Promise<void> {
    await this.#ask([], ids, signal);
  }

  /** An id without its neighbours; undefined while it is unknown. */
  alone(id: number): TokenText | undefined {
    return this.#alone.get(id);
  }

  /** One call: the row as a sequence of its own, and each new id as another. Returns the texts of the row. */
  async #ask(row: readonly number[], ids: readonly number[], signal?: AbortSignal): Promise<string[]> {
    const unknown = [...new Set(ids)].filter((id) => !this.#alone.has(id));
    const sequences = [...(row.length > 0 ? [row] : []), ...unknown.map((id) => [id])];
    if (sequences.length === 0) return [];
    const choices = sequences.map((sequence, index) => ({
      index,
      token_ids: [...sequence],
      logprobs: { content: sequence.map((token_id) => ({ token_id, logprob: 0 })) },
      finish_reason: 'length' as const,
    }));
    const body: DerenderCompletionRequest = { generate_responses: [{ request_id: 'tokens', choices }] };
    const answer = await this.client.derenderCompletion(body, signal ? { signal } : {});
    const rows = answer.choices.map(({ text, logprobs }) => ({ text, names: logprobs?.tokens ?? [] }));
    const [inRow] = row.length > 0 ? rows.splice(0, 1) : [];
    unknown.forEach((id, at) => {
      const name = rows[at]?.names[0] ?? '';
      this.#alone.set(id, { id, text: name, special: name !== '' && rows[at]?.text === '' });
    });
    return inRow?.names ?? [];
  }
}
