import type {
  ChatLogprobs,
  ChatTopLogprob,
  CompletionLogprobs,
  DerenderableLogprobs,
} from '../../../generated/types.js';
import { CONTEXT_IDS, tokenString } from '../../text/token-strings.js';
import type { Tokenizer } from '../../text/tokenizer.js';
import { encodeUtf8 } from '../../text/utf8.js';

type Sent = DerenderableLogprobs | null | undefined;

/**
 * Logprobs by id as logprobs by text. `context`: ids sampled before, for pieces of characters; `most`: entries of
 * `top_logprobs` to keep, null = all. Null when there are none.
 */
export function chatLogprobs(
  tokenizer: Tokenizer,
  sent: Sent,
  context: readonly number[],
  most: number | null,
): ChatLogprobs | null {
  if (!sent) return null;
  const recent = [...context];
  const content = (sent.content ?? []).map(({ token_id, logprob, top_logprobs = [] }) => {
    const described = (id: number, value: number): ChatTopLogprob => {
      const token = tokenString(tokenizer, id, recent);
      const isKnown = tokenizer.idToToken(id) !== undefined;
      return { token, logprob: value, bytes: isKnown ? [...encodeUtf8(token)] : null };
    };
    const kept = most === null ? top_logprobs : top_logprobs.slice(0, most);
    const top = kept.map((entry) => described(entry.token_id, entry.logprob));
    const entry = { ...described(token_id, logprob), top_logprobs: top };
    recent.push(token_id);
    return entry;
  });
  return { content };
}

/** The same as parallel lists, with places in the text from `offset` on. */
export function completionLogprobs(
  described: ChatLogprobs | null,
  offset: number,
): CompletionLogprobs | null {
  if (!described) return null;
  const lists = {
    text_offset: [] as number[],
    token_logprobs: [] as number[],
    tokens: [] as string[],
    top_logprobs: [] as Array<Record<string, number> | null>,
  };
  let at = offset;
  for (const { token, logprob, top_logprobs: top = [] } of described.content ?? []) {
    lists.text_offset.push(at);
    lists.token_logprobs.push(logprob);
    lists.tokens.push(token);
    lists.top_logprobs.push(top.length > 0 ? byText(top) : null);
    at += [...token].length;
  }
  return lists;
}

/** Candidates that read alike share an entry: the first one's. */
function byText(top: readonly ChatTopLogprob[]): Record<string, number> {
  const found = new Map<string, number>();
  for (const { token, logprob } of top) if (!found.has(token)) found.set(token, logprob);
  return Object.fromEntries(found);
}

/** The ids that a later token's text may need. */
export function nextContext(context: readonly number[], ids: readonly number[]): number[] {
  return [...context, ...ids].slice(-CONTEXT_IDS);
}
