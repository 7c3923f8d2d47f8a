import { randomBytes } from 'node:crypto';
import type { GenerateRequest } from '../../generated/types.js';
import type { EngineRequest } from '../engine/index.js';
import { valueFault } from '../errors.js';
import { callerId } from '../request-ids.js';
import { checkRequest } from './prompt-rules.js';
import { type ExactNumbers, resolveSampling } from './sampling.js';
import type { GenerateSettings } from './settings.js';

/** A generate request, understood: what the engine gets, and how the answer is to look. */
export interface ParsedGenerate {
  /** As answers carry it and abort takes it. */
  requestId: string;
  engineRequest: EngineRequest;
  outputMode: 'tokens' | 'text';
  stream: boolean;
  includeUsage: boolean;
  continuousUsage: boolean;
  returnTokenIds: boolean;
  /** False: no texts at all, not even beside prompt logprobs. */
  detokenize: boolean;
  /** Output ids of a sequence that a chunk waits for. */
  streamInterval: number;
  /** Null when the text plays no part: mode tokens without stop strings. */
  text: TextOptions | null;
}

export interface TextOptions {
  stops: readonly string[];
  includeStop: boolean;
  minTokens: number;
  skipSpecialTokens: boolean;
}

/** What comes beside the body. */
export interface RequestHeaders {
  /** `X-Request-Id`; wins over the body's. */
  requestId: string | undefined;
  /** `X-data-parallel-rank`, as sent. */
  dataParallelRank: string | undefined;
}

/** Understand a request that has the contract's shape. Throws an ApiError: 400 or 404. */
export function parseGenerateRequest(
  body: GenerateRequest,
  headers: RequestHeaders,
  exact: ExactNumbers,
  settings: GenerateSettings,
): ParsedGenerate {
  checkRequest(body, settings);
  if (body.stream && body.sampling_params.prompt_logprob_token_ids) {
    throw valueFault(null, 'prompt_logprob_token_ids are not available when stream is true.');
  }
  const sampling = resolveSampling(body.sampling_params, body.token_ids.length, exact, settings);
  return {
    requestId: `generate-tokens-${callerId(headers.requestId, body.request_id)}`,
    engineRequest: {
      id: randomBytes(8).toString('hex'),
      tokenIds: Int32Array.from(body.token_ids),
      sampling,
      priority: body.priority ?? 0,
      cacheSalt: (body.cache_salt as string | null | undefined) ?? null,
      rank: rankOf(headers.dataParallelRank, settings.engine.ranks),
    },
    outputMode: body.output_mode ?? 'tokens',
    stream: body.stream ?? false,
    includeUsage: body.stream_options?.include_usage ?? false,
    continuousUsage: body.stream_options?.continuous_usage_stats ?? false,
    returnTokenIds: body.return_token_ids ?? false,
    detokenize: body.sampling_params.detokenize ?? true,
    streamInterval: body.sampling_params.stream_interval ?? 1,
    text: textOptions(body, settings),
  };
}

/** An integer picks a rank; anything else leaves the choice to the server. */
function rankOf(header: string | undefined, ranks: number): number | null {
  const text = header?.trim() ?? '';
  if (!/^[+-]?\d+$/.test(text)) return null;
  const rank = Number(text);
  if (rank < 0 || rank >= ranks) {
    throw valueFault(
      null,
      `X-data-parallel-rank ${rank} is out of range: this server has ranks 0 to ${ranks - 1}.`,
    );
  }
  return rank;
}

function textOptions(
  { output_mode, sampling_params: sent }: GenerateRequest,
  { tokenizer }: GenerateSettings,
): TextOptions | null {
  const stops = sent.stop && !sent.trace_decode_token_ids ? [sent.stop].flat() : [];
  if (!tokenizer || (output_mode !== 'text' && stops.length === 0)) return null;
  return {
    stops,
    includeStop: sent.include_stop_str_in_output ?? false,
    minTokens: sent.min_tokens ?? 0,
    skipSpecialTokens: sent.skip_special_tokens ?? true,
  };
}
