import type {
  ChatCompletionRequest,
  CompletionRequest,
  DerenderableChoice,
} from '../../../generated/types.js';
import { IncrementalDetokenizer } from '../../text/incremental.js';
import type { Tokenizer } from '../../text/tokenizer.js';

/** Fields of the original request that decide what is text. */
export type TextRequest = Pick<
  ChatCompletionRequest | CompletionRequest,
  'skip_special_tokens' | 'include_stop_str_in_output' | 'stop' | 'stop_token_ids' | 'ignore_eos'
> | null;

/** How outputs of one request are decoded. */
export interface Decoding {
  tokenizer: Tokenizer;
  /** Ids that are left out of the text. */
  hiddenIds: ReadonlySet<number>;
  request: TextRequest;
  /** The model's primary EOS; null when it has none. */
  eosId: number | null;
}

type Ending = Pick<DerenderableChoice, 'finish_reason' | 'stop_reason'>;

/** A whole output's text: without its stop token, and up to the stop string that ended it. */
export function wholeText(
  { token_ids: ids, ...ending }: DerenderableChoice,
  promptIds: readonly number[],
  decoding: Decoding,
): string {
  const { request } = decoding;
  const detokenizer = detokenizerAfter(promptIds, decoding);
  let text = '';
  let before = 0;
  for (const id of visibleIds(ids ?? [], ending, decoding)) {
    before = text.length;
    text += detokenizer.push(id);
  }
  const { finish_reason, stop_reason } = ending;
  const isStopString = typeof stop_reason === 'string' && [request?.stop ?? []].flat().includes(stop_reason);
  if (finish_reason !== 'stop' || !isStopString) return text;
  return upToStop(text, stop_reason, before, request?.include_stop_str_in_output ?? false);
}

/** A detokenizer that goes on after a prompt, of which the last ids matter. */
export function detokenizerAfter(
  promptIds: readonly number[],
  { tokenizer, hiddenIds }: Decoding,
): IncrementalDetokenizer {
  const seen = promptIds.slice(-PROMPT_TAIL).filter((id) => !hiddenIds.has(id));
  return new IncrementalDetokenizer(tokenizer, seen, false);
}

/** More than any character's tokens, hidden ones between them included. */
const PROMPT_TAIL = 64;

/** The ids that are text: none that are hidden, and no stop token at the end unless stops are kept. */
export function visibleIds(ids: readonly number[], ending: Ending, decoding: Decoding): readonly number[] {
  return withoutStop(ids, ending, decoding).filter((id) => !decoding.hiddenIds.has(id));
}

function withoutStop(
  ids: readonly number[],
  { finish_reason, stop_reason }: Ending,
  { request, eosId }: Decoding,
): readonly number[] {
  if (finish_reason !== 'stop' || request?.include_stop_str_in_output) return ids;
  const last = ids.at(-1);
  if (last === undefined) return ids;
  if (typeof stop_reason === 'number') return last === stop_reason ? ids.slice(0, -1) : ids;
  if (typeof stop_reason === 'string') return ids;
  const isEos = last === eosId && !request?.ignore_eos;
  return isEos || request?.stop_token_ids?.includes(last) ? ids.slice(0, -1) : ids;
}

/** Cut at the stop string that the last token completed; `before` is where that token's text begins. */
function upToStop(text: string, stop: string, before: number, include: boolean): string {
  const at = text.indexOf(stop, Math.max(0, before + 1 - stop.length));
  if (at < 0) return text;
  return text.slice(0, include ? at + stop.length : at);
}

/** Nothing is hidden. */
export const NO_IDS: ReadonlySet<number> = new Set();
