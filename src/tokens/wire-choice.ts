import type { GenerateChoice, Usage } from '../../generated/types.js';
import type { PositionLogprobs } from '../engine/index.js';
import type { ChoiceNews } from './choice-reader.js';
import { npyBase64 } from './npy.js';
import type { ParsedGenerate } from './parse-request.js';
import type { GenerateSettings } from './settings.js';
import { logprobsById, TextLogprobs } from './wire-logprobs.js';

/** Writes the news of one sequence in the contract's shape. */
export class ChoiceWriter {
  readonly #textLogprobs: TextLogprobs | null;

  constructor(
    private readonly parsed: ParsedGenerate,
    { tokenizer, returnTokensAsTokenIds }: GenerateSettings,
  ) {
    const asText = parsed.outputMode === 'text' && tokenizer !== null;
    this.#textLogprobs = asText ? new TextLogprobs(tokenizer, returnTokensAsTokenIds) : null;
  }

  /** With listed ids the reference shows as many entries as were listed, the sampled one first. */
  #shown(position: PositionLogprobs): PositionLogprobs {
    const listed = this.parsed.engineRequest.sampling.logprobTokenIds;
    if (!listed) return position;
    const { ids, values, ranks } = position;
    const most = Math.max(listed.length, 1);
    return { ids: ids.slice(0, most), values: values.slice(0, most), ranks: ranks.slice(0, most) };
  }

  /** News without tokens, such as those of an abort, have as many logprobs: none, in a list. */
  #logprobsOf({ logprobs }: ChoiceNews): readonly PositionLogprobs[] | null {
    return logprobs ?? (this.parsed.engineRequest.sampling.logprobs === null ? null : []);
  }

  write(news: ChoiceNews): GenerateChoice {
    const { finish, samplingMask } = news;
    const routed = finish?.routedExperts;
    const logprobs = this.#logprobsOf(news)?.map((position) => this.#shown(position)) ?? null;
    const described = logprobs && (this.#textLogprobs?.describe(logprobs) ?? logprobsById(logprobs));
    return {
      index: news.index,
      finish_reason: (finish?.reason ?? null) as NonNullable<GenerateChoice['finish_reason']> | null,
      stop_reason: finish?.stopReason ?? null,
      token_ids: news.tokenIds,
      routed_experts: routed ? npyBase64(routed.values, routed.shape) : null,
      sampling_mask: samplingMask?.map((ids) => [...ids]) ?? null,
      weight_versions: finish?.weightVersions ?? null,
      ...(this.parsed.outputMode === 'text' ? { text: news.text } : {}),
      logprobs: described,
    };
  }
}

/** Token counts of a request. */
export function usageOf(promptTokens: number, completionTokens: number): Usage {
  return {
    prompt_tokens: promptTokens,
    total_tokens: promptTokens + completionTokens,
    completion_tokens: completionTokens,
  };
}
