import type { SamplerState } from '../sampler-state.js';
import { allowTokens } from './allowed-tokens.js';
import { ruleOutBadWords } from './bad-words.js';
import { addBias } from './logit-bias.js';
import { holdBackEnd } from './min-tokens.js';
import { penalize } from './penalties.js';

/** In the reference's order (vLLM v1 `Sampler`): all of these can change which token is the best. */
const PROCESSORS = [allowTokens, ruleOutBadWords, holdBackEnd, addBias, penalize] as const;

/** Apply every processor to a row of logits, in place. */
export function processLogits(logits: Float32Array, state: SamplerState): void {
  for (const processor of PROCESSORS) processor(logits, state);
}

/** Whether any processor would change this sequence's next row. */
export function changesLogits({ params, output }: SamplerState): boolean {
  return (
    params.allowedTokenIds !== null ||
    params.badWords.length > 0 ||
    output.length < params.minTokens ||
    params.logitBias.length > 0 ||
    params.repetitionPenalty !== 1 ||
    params.frequencyPenalty !== 0 ||
    params.presencePenalty !== 0
  );
}
