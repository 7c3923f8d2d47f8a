import type {
  ChatLogprobs,
  ChatTopLogprob,
  GenerateLogprobs,
  PromptLogprobs,
  TopTokenLogprob,
} from '../../generated/types.js';
import type { PositionLogprobs } from '../engine/index.js';
import { CONTEXT_IDS, tokenString } from '../text/token-strings.js';
import type { Tokenizer } from '../text/tokenizer.js';

/** JSON has no infinities: a token without mass has this logprob. */
const FLOOR = -9999;

const encoder = new TextEncoder();

/** Logprobs by integer id: the sampled token, and the list of alternatives with it in front. */
export function logprobsById(positions: readonly PositionLogprobs[]): GenerateLogprobs {
  return {
    content: positions.map((position) => {
      const top = entriesById(position);
      return { ...top[0]!, top_logprobs: top };
    }),
  };
}

function entriesById({ ids, values, ranks }: PositionLogprobs): TopTokenLogprob[] {
  return Array.from(ids, (id, i) => ({
    token_id: id,
    logprob: floored(values[i]!),
    rank: ranks[i] === 0 ? null : ranks[i]!,
  }));
}

/** Turns positions of one sequence into logprobs by text; remembers the ids that pieces of characters need. */
export class TextLogprobs {
  readonly #context: number[] = [];

  constructor(
    private readonly tokenizer: Tokenizer,
    /** Show `token_id:N` instead of texts. */
    private readonly placeholders: boolean,
  ) {}

  describe(positions: readonly PositionLogprobs[]): ChatLogprobs {
    return {
      content: positions.map((position) => {
        const top = Array.from(position.ids, (id, i) => this.#entry(id, position.values[i]!));
        this.#remember(position.ids[0]!);
        return { ...top[0]!, top_logprobs: top };
      }),
    };
  }

  #entry(id: number, value: number): ChatTopLogprob {
    if (this.placeholders) return { token: `token_id:${id}`, logprob: floored(value), bytes: null };
    const token = tokenString(this.tokenizer, id, this.#context);
    return { token, logprob: floored(value), bytes: [...encoder.encode(token)] };
  }

  #remember(id: number): void {
    this.#context.push(id);
    if (this.#context.length > CONTEXT_IDS) this.#context.shift();
  }
}

/** Prompt logprobs: null for the first position, then scores by id. */
export function promptLogprobs(
  positions: ReadonlyArray<PositionLogprobs | null>,
  promptIds: Int32Array,
  tokenizer: Tokenizer | null,
): NonNullable<PromptLogprobs> {
  return positions.map((position, at) => {
    if (!position) return null;
    const context = Array.from(promptIds.subarray(Math.max(1, at - CONTEXT_IDS), at));
    const entries = Array.from(position.ids, (id, i) => [
      String(id),
      {
        logprob: floored(position.values[i]!),
        rank: position.ranks[i] === 0 ? null : position.ranks[i]!,
        decoded_token: tokenizer ? tokenString(tokenizer, id, context) : null,
      },
    ]);
    return Object.fromEntries(entries);
  });
}

/** NaN counts as no mass; `Math.max` would let it through. */
function floored(value: number): number {
  return Number.isNaN(value) ? FLOOR : Math.max(value, FLOOR);
}
