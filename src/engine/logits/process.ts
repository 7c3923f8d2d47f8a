import type { SamplerState } from '../sampler-state.js';
import { allowTokens } from './allowed-tokens.js';
import { ruleOutBadWords } from './bad-words.js';
import { followGrammar } from './grammar.js';
import { addBias } from './logit-bias.js';
import { holdBackEnd } from './min-tokens.js';
import { penalize } from './penalties.js';

/** In the reference's order (vLLM v1 `Sampler`): all of these can change which token is the best. */
const PROCESSORS = [allowTokens, ruleOutBadWords, holdBackEnd, addBias, penalize] as const;

/** Apply the grammar's bitmask, if any, and every processor to a row of logits, in place. */
export function processLogits(logits: Float32Array, state: SamplerState, grammar: Int32Array | null): void {
  if (grammar) followGrammar(logits, grammar);
  for (const processor of PROCESSORS) processor(logits, state);
}

/** Whether the grammar or any processor could change this sequence's next row. */
export function changesLogits({ params, output }: SamplerState, grammar: Int32Array | null): boolean {
  return (
    grammar !== null ||
    params.allowedTokenIds !== null ||
    params.badWords.length > 0 ||
    output.length < params.minTokens ||
    params.logitBias.length > 0 ||
    params.repetitionPenalty !== 1 ||
    params.frequencyPenalty !== 0 ||
    params.presencePenalty !== 0
  );
}
