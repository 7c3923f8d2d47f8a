import type { SamplingParams as WireSampling } from '../../generated/types.js';
import type { SamplingParams } from '../engine/index.js';
import { valueFault } from '../errors.js';
import { checkSampling } from './sampling-rules.js';
import type { GenerateSettings } from './settings.js';
import { structuredOf } from './structured.js';

const MAX_BIAS = 100;
const GREEDY_BELOW = 1e-5;

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
  const wire = { ...NEUTRAL, ...withoutNulls(sent) };
  const left = settings.engine.maxModelLen - promptLength;
  return {
    ...filtersOf(wire),
    n: wire.n,
    maxTokens: Math.min(wire.max_tokens ?? settings.defaultSampling.max_tokens ?? left, left),
    minTokens: wire.min_tokens,
    temperature: wire.temperature,
    seed: seedOf(wire.seed ?? null, exact),
    presencePenalty: wire.presence_penalty,
    frequencyPenalty: wire.frequency_penalty,
    repetitionPenalty: wire.repetition_penalty,
    logitBias: biasOf(wire.logit_bias),
    allowedTokenIds: wire.allowed_token_ids,
    badWords: badWordsOf(wire.bad_words, settings),
    stopTokenIds: [...new Set(wire.stop_token_ids)],
    ignoreEos: wire.ignore_eos,
    ...scoresOf(wire),
    traceDecodeTokenIds: wire.trace_decode_token_ids,
    repetitionDetection: repetitionOf(wire),
    structuredOutput: wire.structured_outputs ? structuredOf(wire.structured_outputs) : null,
    skipReadingPrefixCache: wire.skip_reading_prefix_cache,
    routedExpertsPromptStart: wire.routed_experts_prompt_start,
  };
}

/** What fields mean that a request leaves out. */
const NEUTRAL = {
  n: 1,
  min_tokens: 0,
  temperature: 1,
  top_p: 1,
  top_k: 0,
  min_p: 0,
  presence_penalty: 0,
  frequency_penalty: 0,
  repetition_penalty: 1,
  logit_bias: {} as Record<string, number>,
  allowed_token_ids: null as number[] | null,
  bad_words: [] as string[],
  stop_token_ids: [] as number[],
  ignore_eos: false,
  logprobs: null as number | null,
  prompt_logprobs: null as number | null,
  logprob_token_ids: null as number[] | null,
  prompt_logprob_token_ids: null as number[][] | null,
  prompt_logprob_start: 0,
  trace_decode_token_ids: null as number[] | null,
  skip_reading_prefix_cache: false,
  routed_experts_prompt_start: 0,
};

type Wire = typeof NEUTRAL & WireSampling;

/** Null means "not given". */
function withoutNulls(sent: WireSampling): { [Name in keyof WireSampling]: NonNullable<WireSampling[Name]> } {
  const given = Object.entries(sent).filter(([, value]) => value !== null && value !== undefined);
  return Object.fromEntries(given) as ReturnType<typeof withoutNulls>;
}

/** Filters do nothing to a greedy choice. */
function filtersOf(wire: Wire): Pick<SamplingParams, 'topP' | 'topK' | 'minP'> {
  if (wire.temperature < GREEDY_BELOW) return { topP: 1, topK: 0, minP: 0 };
  return { topP: wire.top_p, topK: Math.max(wire.top_k, 0), minP: wire.min_p };
}

function scoresOf(
  wire: Wire,
): Pick<
  SamplingParams,
  'logprobs' | 'promptLogprobs' | 'logprobTokenIds' | 'promptLogprobTokenIds' | 'promptLogprobStart'
> {
  return {
    logprobs: wire.logprobs,
    promptLogprobs: wire.prompt_logprobs,
    logprobTokenIds: wire.logprob_token_ids,
    promptLogprobTokenIds: wire.prompt_logprob_token_ids,
    promptLogprobStart: wire.prompt_logprob_start,
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
  if (!sent?.max_pattern_size) return null;
  return {
    maxPatternSize: sent.max_pattern_size,
    minPatternSize: sent.min_pattern_size ?? 0,
    minCount: sent.min_count ?? 0,
  };
}
