import { StartupError } from '../../errors.js';
import type { DecoderShape } from './architecture.js';

/** Rotary tables of this many positions still fit in memory. */
const MAX_CONTEXT = 1 << 21;
/** GroupQueryAttention rotates in groups of this many dimensions. */
const HEAD_DIM_STEP = 16;

/** Throws a StartupError when the numbers contradict each other or ask for more than the attention kernel takes. */
export function checkShape(name: string, shape: DecoderShape): void {
  const { headDim, heads, kvHeads, contextLength, rotaryDim = headDim, experts } = shape;
  if (heads % kvHeads !== 0) {
    throw new StartupError(`${heads} attention heads can't share ${kvHeads} key/value heads evenly.`);
  }
  if (headDim % HEAD_DIM_STEP !== 0) {
    throw new StartupError(
      `Attention heads of ${headDim} dimensions are not supported: it takes a multiple of ${HEAD_DIM_STEP}.`,
    );
  }
  if (rotaryDim % HEAD_DIM_STEP !== 0 || rotaryDim > headDim) {
    throw new StartupError(
      `Heads of ${headDim} with ${rotaryDim} rotated dimensions are not supported for architecture ${name}: it takes ` +
        `a multiple of ${HEAD_DIM_STEP}, at most the head's.`,
    );
  }
  if (contextLength > MAX_CONTEXT) {
    throw new StartupError(
      `A context length of ${contextLength} tokens is not supported. The most is ${MAX_CONTEXT}.`,
    );
  }
  if (experts && experts.used > experts.count) {
    throw new StartupError(`A position can't go to ${experts.used} of ${experts.count} experts.`);
  }
}
