import type { Architecture } from './architecture.js';
import { gemmaCheckpoint } from './gemma-checkpoint.js';
import { windowedLayers } from './windows.js';

/** The one size whose scores are scaled by hidden size and heads, which GGUF files don't say (27B). */
const LAYERS_OF_27B = 46;

/** Gemma 2: soft caps, norms around, and a window in every other layer. */
export const gemma2: Architecture = {
  name: 'gemma2',
  block: { norms: 'around' },
  rotaryRows: 'halves',
  activation: 'gelu-tanh',
  checkpoint: { ...gemmaCheckpoint, modelTypes: ['gemma2'] },
  variant(metadata, { hiddenSize, headDim, heads, layers }) {
    const perHead = layers === LAYERS_OF_27B ? hiddenSize / heads : headDim;
    const layerKinds = windowedLayers(metadata, 'gemma2', layers, (layer) => layer % 2 === 0);
    const attentionCap = metadata.optionalNumber('gemma2.attn_logit_softcapping');
    const logitCap = metadata.optionalNumber('gemma2.final_logit_softcapping');
    return {
      embeddingScale: Math.sqrt(hiddenSize),
      attentionScale: metadata.optionalNumber('gemma2.attention.scale') ?? 1 / Math.sqrt(perHead),
      ...(attentionCap === null ? {} : { attentionCap }),
      ...(logitCap === null ? {} : { logitCap }),
      ...(layerKinds ? { layerKinds } : {}),
    };
  },
};
