import { StartupError } from '../../errors.js';
import type { Metadata } from '../gguf/metadata.js';
import type { DecoderShape, ExpertShape } from './architecture.js';

/**
 * The experts of a model whose every layer has them, or nothing when it has none. `normalised` is what the architecture
 * does when the metadata doesn't say. Throws a StartupError.
 */
export function expertsOf(
  metadata: Metadata,
  name: string,
  { feedForwardSize }: DecoderShape,
  normalised: boolean,
): { experts?: ExpertShape } {
  const key = (part: string): string => `${name}.${part}`;
  if ((metadata.optionalNumber(key('expert_count')) ?? 0) === 0) return {};
  for (const part of ['expert_shared_count', 'leading_dense_block_count', 'expert_group_count']) {
    if ((metadata.optionalNumber(key(part)) ?? 0) > 0) {
      throw new StartupError(
        `${metadata.nameOf(key(part))} is not supported for architecture ${name}: every layer must be a mixture of its own experts alone.`,
      );
    }
  }
  return {
    experts: {
      count: metadata.count(key('expert_count')),
      used: metadata.count(key('expert_used_count')),
      feedForwardSize: metadata.optionalCount(key('expert_feed_forward_length')) ?? feedForwardSize,
      normalised: metadata.optionalBoolean(key('expert_weights_norm')) ?? normalised,
    },
  };
}
