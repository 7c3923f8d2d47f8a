import { randomBytes } from 'node:crypto';
import type { GenerateRequest, StreamOptions } from '../../generated/types.js';
import { modelNotFound, valueFault } from '../errors.js';
import { callerId } from '../request-ids.js';
import type { RenderSettings } from './settings.js';

/** What comes beside the body. */
export interface RenderHeaders {
  /** `X-Request-Id`; wins over the body's. */
  requestId: string | undefined;
}

/** Fields of a request that say how it is to be delivered. */
export interface Delivery {
  model?: string | null;
  stream?: boolean | null;
  stream_options?: StreamOptions | null;
  return_token_ids?: boolean | null;
  cache_salt?: string | null;
  priority?: number;
  kv_transfer_params?: Record<string, unknown> | null;
  ec_transfer_params?: Record<string, unknown> | null;
}

/** A 404 unless the name is absent or served. */
export function checkServed(name: string | null | undefined, { servedModelNames }: RenderSettings): void {
  if (name != null && name !== '' && !servedModelNames.includes(name)) {
    throw modelNotFound(name, servedModelNames);
  }
}

/** Rules between fields that chats and completions share. Throws a 400. */
export function checkDelivery(
  body: Delivery & { prompt_logprobs?: number | null; use_beam_search?: boolean },
): void {
  if (body.stream_options && !body.stream) {
    throw valueFault('stream_options', 'stream_options need stream: true.');
  }
  const scores = body.prompt_logprobs ?? 0;
  if (body.stream && scores !== 0) {
    throw valueFault('prompt_logprobs', 'prompt_logprobs are not available when stream is true.');
  }
  if (body.use_beam_search) throw valueFault(null, 'There is no beam search.');
}

/** Delivery fields as generate takes them. */
export function deliveryFields(body: Delivery): Partial<GenerateRequest> {
  const options = (body.stream && body.stream_options) || null;
  return {
    model: body.model ?? null,
    stream: body.stream ?? false,
    stream_options: options && {
      include_usage: options.include_usage ?? false,
      continuous_usage_stats: options.continuous_usage_stats ?? false,
    },
    return_token_ids: body.return_token_ids ?? null,
    output_mode: 'tokens',
    cache_salt: body.cache_salt ?? null,
    priority: body.priority ?? 0,
    kv_transfer_params: body.kv_transfer_params ?? null,
    ec_transfer_params: body.ec_transfer_params ?? null,
  };
}

/** The caller's id behind a prefix that tells the endpoint. Throws a 400 for an id that is too long or not printable. */
export function prefixedId(prefix: string, headers: RenderHeaders, own: string | undefined): string {
  return prefix + callerId(headers.requestId, own);
}

/** An id of our own. */
export function freshId(prefix: string): string {
  return prefix + randomBytes(8).toString('hex');
}
