import type { SamplingParams } from '../../generated/types.js';

/** Sampling fields as chats and completions have them at their top level; absent and null are the same. */
export type SamplingSource = {
  [Name in keyof SamplingParams]?: SamplingParams[Name] | null | undefined;
};

const GREEDY_BELOW = 1e-5;

/** What fields mean that neither the request nor the generation config sets. */
const DEFAULTS = {
  presence_penalty: 0,
  frequency_penalty: 0,
  repetition_penalty: 1,
  temperature: 1,
  top_p: 1,
  top_k: 0,
  min_p: 0,
} as const;

/** Carried over as they are. */
const CARRIED = [
  'n',
  'seed',
  'stop_token_ids',
  'ignore_eos',
  'min_tokens',
  'logprobs',
  'prompt_logprobs',
  'logprob_token_ids',
  'logit_bias',
  'allowed_token_ids',
  'bad_words',
  'skip_special_tokens',
  'spaces_between_special_tokens',
  'include_stop_str_in_output',
  'structured_outputs',
  'repetition_detection',
  'thinking_token_budget',
  'stream_interval',
  'extra_args',
] as const satisfies ReadonlyArray<keyof SamplingParams>;

/**
 * The sampling fields of a generate request: those sent, else the generation config's (`defaults`), else the
 * reference's. Fields that would say what their absence says are left out, except the ones in `DEFAULTS`.
 */
export function wireSampling(
  source: SamplingSource,
  maxTokens: number,
  defaults: Readonly<Record<string, number>>,
): SamplingParams {
  const chosen = Object.fromEntries(
    Object.entries(DEFAULTS).map(([name, value]) => [
      name,
      source[name as keyof typeof DEFAULTS] ?? defaults[name] ?? value,
    ]),
  ) as Record<keyof typeof DEFAULTS, number>;
  // Filters do nothing to a greedy choice; the reference takes them back.
  const filters = chosen.temperature < GREEDY_BELOW ? { top_p: 1, top_k: 0, min_p: 0 } : {};
  const carried = Object.fromEntries(
    CARRIED.flatMap((name) => (source[name] == null ? [] : [[name, source[name]]])),
  );
  return { ...chosen, ...filters, stop: [source.stop ?? []].flat(), max_tokens: maxTokens, ...carried };
}
