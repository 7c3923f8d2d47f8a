import { valueFault } from '../errors.js';
import type { RenderSettings } from './settings.js';

/**
 * Tokens that a rendered request may output: what it asks for or the generation config says, within what its prompt
 * leaves of the model's length and the operator's limit. Throws a 400 when nothing is left.
 */
export function maxTokensFor(
  asked: number | null,
  promptLength: number,
  { maxModelLen, defaultSampling, maxTokensLimit }: RenderSettings,
): number {
  const left = maxModelLen - promptLength;
  const wanted = asked ?? defaultSampling.max_tokens ?? left;
  const most = Math.min(left, wanted, maxTokensLimit ?? left);
  if (most >= 1) return most;
  throw valueFault(
    'max_tokens',
    `The prompt fills the model's length of ${maxModelLen} tokens: nothing is left for the output. Shorten it.`,
  );
}
