import { DEFAULT_SAMPLING_PARAMS, type SamplingParams } from '../index.js';
import { Sampler, type SamplerOptions, type SamplerState } from '../sampler.js';

export const PLAIN: SamplerOptions = { logprobsMode: 'raw_logprobs', samplingMask: false };
export const MASKED: SamplerOptions = { logprobsMode: 'raw_logprobs', samplingMask: true };

/** A sampler and the state of one sequence: prompt 1, EOS 2, seed 7. */
export function start(
  vocabSize: number,
  given: Partial<SamplingParams>,
  options = PLAIN,
): { sampler: Sampler; state: SamplerState } {
  const sampler = new Sampler(vocabSize, options);
  const params = { ...DEFAULT_SAMPLING_PARAMS, seed: 7n, ...given };
  return { sampler, state: sampler.createState(params, Int32Array.of(1), 0, [2]) };
}
