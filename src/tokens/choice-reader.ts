import type {
  Finish,
  Generation,
  PositionLogprobs,
  RoutedExperts,
  SequenceEvent,
  WeightSpan,
} from '../engine/index.js';
import { IncrementalDetokenizer } from '../text/incremental.js';
import { StopStrings } from '../text/stop-strings.js';
import type { Tokenizer } from '../text/tokenizer.js';
import type { TextOptions } from './parse-request.js';

/** What is new of one sequence, text included. */
export interface ChoiceNews {
  index: number;
  tokenIds: number[];
  text: string;
  logprobs: PositionLogprobs[] | null;
  samplingMask: Int32Array[] | null;
  finish: Finish | null;
}

/**
 * Reads the events of one sequence: decodes them, looks for stop strings, and ends the sequence where one
 * matched. Tokens that the engine sampled after the match are dropped, and the weight spans clipped to what stays.
 */
export class ChoiceReader {
  readonly #detokenizer: IncrementalDetokenizer | null;
  readonly #stops: StopStrings | null;
  #tokens = 0;
  /** Those behind a match included. */
  #sampled = 0;
  /** Set when a stop string matched: the news of that moment, held until the engine says that the sequence ended. */
  #matched: { stop: string; news: ChoiceNews } | null = null;

  constructor(
    private readonly index: number,
    promptIds: Int32Array,
    private readonly text: TextOptions | null,
    tokenizer: Tokenizer | null,
  ) {
    const decodes = text !== null && tokenizer !== null;
    this.#detokenizer = decodes
      ? new IncrementalDetokenizer(tokenizer, promptIds, text.skipSpecialTokens)
      : null;
    this.#stops =
      text && text.stops.length > 0
        ? new StopStrings({ stops: text.stops, include: text.includeStop, minTokens: text.minTokens })
        : null;
  }

  /** News of an event; null when there is none to tell (yet). */
  read(event: SequenceEvent, generation: Pick<Generation, 'end'>): ChoiceNews | null {
    this.#sampled += event.tokenIds.length;
    if (this.#matched) return event.finish ? this.#finishMatched(event.finish) : null;
    const { index } = this;
    const decoded = this.#decode(event);
    this.#tokens += decoded.kept;
    const tokenIds = event.tokenIds.slice(0, decoded.kept);
    const news: ChoiceNews = {
      index,
      tokenIds,
      text: decoded.text,
      logprobs: event.logprobs?.slice(0, decoded.kept) ?? null,
      samplingMask: event.samplingMask?.slice(0, decoded.kept) ?? null,
      finish: event.finish,
    };
    if (decoded.stop === null) return event.finish ? this.#withRest(news) : news;
    this.#matched = { stop: decoded.stop, news };
    if (event.finish) return this.#finishMatched(event.finish);
    generation.end(index);
    return null;
  }

  #decode({ tokenIds, finish }: SequenceEvent): { text: string; kept: number; stop: string | null } {
    if (!this.#detokenizer) return { text: '', kept: tokenIds.length, stop: null };
    // The token that ended the sequence is part of the ids, and of the text only when stops are kept.
    const silent = finish?.reason === 'stop' && !this.text?.includeStop ? 1 : 0;
    let text = '';
    for (let i = 0; i < tokenIds.length; i++) {
      const added = i < tokenIds.length - silent ? this.#detokenizer.push(tokenIds[i]!) : '';
      const { text: sendable, matched } = this.#stops?.push(added) ?? { text: added, matched: null };
      text += sendable;
      if (matched !== null) return { text, kept: i + 1, stop: matched };
    }
    return { text, kept: tokenIds.length, stop: null };
  }

  #withRest(news: ChoiceNews): ChoiceNews {
    return { ...news, text: news.text + (this.#stops?.end() ?? '') };
  }

  #finishMatched({ weightVersions, routedExperts }: Finish): ChoiceNews {
    const { stop, news } = this.#matched!;
    const experts = routedExperts && clipExperts(routedExperts, this.#sampled - this.#tokens);
    const finish: Finish = {
      reason: 'stop',
      stopReason: stop,
      weightVersions: clip(weightVersions, this.#tokens),
      ...(experts ? { routedExperts: experts } : {}),
    };
    return { ...news, finish };
  }
}

/** Two pieces of news of one sequence, as one. */
export function joinNews(before: ChoiceNews | undefined, after: ChoiceNews): ChoiceNews {
  if (!before) return after;
  before.tokenIds.push(...after.tokenIds);
  before.logprobs?.push(...(after.logprobs ?? []));
  before.samplingMask?.push(...(after.samplingMask ?? []));
  return { ...before, text: before.text + after.text, finish: after.finish };
}

/** Without the last `dropped` positions. */
function clipExperts({ values, shape }: RoutedExperts, dropped: number): RoutedExperts {
  const [positions, layers, used] = shape;
  const kept = Math.max(0, positions - dropped);
  return { values: values.subarray(0, kept * layers * used), shape: [kept, layers, used] };
}

function clip(spans: readonly WeightSpan[], length: number): WeightSpan[] {
  return spans
    .filter(({ start }) => start < length)
    .map((span) => ({ ...span, end: Math.min(span.end, length) }));
}
