import type { GenerateRequest } from '../../../generated/types.js';
import { UsageError } from './errors.js';

/**
 * Older servers have no `output_mode`: they answer tokens and do not say so. Throws when text was asked of one of
 * them, since its answer would read like an empty text.
 */
export function checkMode(
  request: Pick<GenerateRequest, 'output_mode'>,
  answer: { output_mode?: 'tokens' | 'text' },
): void {
  if (request.output_mode === 'text' && (answer.output_mode ?? 'tokens') !== 'text') {
    throw new UsageError('This server does not know output_mode "text": ask for tokens, and derender them.');
  }
}
