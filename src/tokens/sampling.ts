import type { SamplingParams as WireSampling } from '../../generated/types.js';
import type { SamplingParams } from '../engine/index.js';
import { valueFault } from '../errors.js';
import { checkSampling } from './sampling-rules.js';
import type { GenerateSettings } from './settings.js';

const MAX_BIAS = 100;

/** What the body says beyond its JSON: numbers too large for a double, digit for digit. */
export interface ExactNumbers {
  seed: bigint | null;
}

/**
 * Resolve the sampling fields of a request: defaults, limits of this model, and the rules between fields that a
 * schema can't say. Throws a 400 with the recorded type and param.
 */
export function resolveSampling(
  sent: WireSampling,
  promptLength: number,
  exact: ExactNumbers,
  settings: GenerateSettings,
): SamplingParams {
  checkSampling(sent, promptLength, settings);
  const wire: WireSampling = { ...settings.defaultSampling, ...sent };
  const left = settings.engine.maxModelLen - promptLength;
  const greedy = (wire.temperature ?? 1) < 1e-5;
  return {
    n: wire.n ?? 1,
    maxTokens: Math.min(wire.max_tokens ?? left, left),
    minTokens: wire.min_tokens ?? 0,
    temperature: wire.temperature ?? 1,
    topP: greedy ? 1 : (wire.top_p ?? 1),
    topK: greedy ? 0 : Math.max(wire.top_k ?? 0, 0),
    minP: greedy ? 0 : (wire.min_p ?? 0),
    seed: seedOf(wire.seed ?? null, exact),
    presencePenalty: wire.presence_penalty ?? 0,
    frequencyPenalty: wire.frequency_penalty ?? 0,
    repetitionPenalty: wire.repetition_penalty ?? 1,
    logitBias: biasOf(wire.logit_bias ?? {}),
    allowedTokenIds: wire.allowed_token_ids ?? null,
    badWords: badWordsOf(wire.bad_words ?? [], settings),
    stopTokenIds: [...new Set(wire.stop_token_ids ?? [])],
    ignoreEos: wire.ignore_eos ?? false,
    logprobs: wire.logprobs ?? null,
    promptLogprobs: wire.prompt_logprobs ?? null,
    logprobTokenIds: wire.logprob_token_ids ?? null,
    promptLogprobTokenIds: wire.prompt_logprob_token_ids ?? null,
    promptLogprobStart: wire.prompt_logprob_start ?? 0,
    traceDecodeTokenIds: wire.trace_decode_token_ids ?? null,
    repetitionDetection: repetitionOf(wire),
    structuredOutput: null,
    skipReadingPrefixCache: wire.skip_reading_prefix_cache ?? false,
  };
}

function seedOf(seed: number | null, exact: ExactNumbers): bigint | null {
  if (seed === null) return null;
  const digits = exact.seed ?? BigInt(seed);
  if (digits < -(2n ** 63n) || digits >= 2n ** 64n) {
    throw valueFault(null, 'seed must be between -2**63 and 2**64 - 1.');
  }
  return digits === -1n ? null : digits;
}

function biasOf(bias: Readonly<Record<string, number>>): Array<readonly [number, number]> {
  return Object.entries(bias).map(([id, value]) => [
    Number(id),
    Math.min(Math.max(value, -MAX_BIAS), MAX_BIAS),
  ]);
}

/** A bad word is ruled out at the start of a text and after a space, as one or the other is tokenized. */
function badWordsOf(words: readonly string[], { tokenizer }: GenerateSettings): number[][] {
  if (!tokenizer) return [];
  const found: number[][] = [];
  for (const word of new Set(words)) {
    const trimmed = word.trimStart();
    const bare = tokenizer.encode(trimmed, false);
    if (bare.length === 0)
      throw valueFault('bad_words', 'bad_words entries must hold more than white space.');
    const spaced = tokenizer.encode(` ${trimmed}`, false);
    found.push(bare);
    if (spaced[0] !== bare[0] && spaced.length === bare.length) found.push(spaced);
  }
  return found;
}

function repetitionOf({ repetition_detection: sent }: WireSampling): SamplingParams['repetitionDetection'] {
  if (!sent || !sent.max_pattern_size) return null;
  return {
    maxPatternSize: sent.max_pattern_size,
    minPatternSize: sent.min_pattern_size ?? 0,
    minCount: sent.min_count ?? 0,
  };
}
