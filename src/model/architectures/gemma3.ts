import type { Architecture, LayerKind } from './architecture.js';
import { gemmaCheckpoint } from './gemma-checkpoint.js';
import { windowedLayers } from './windows.js';

/** One layer in six sees everything; the others' rotary base, which older GGUF files don't say. */
const GLOBAL_EVERY = 6;
const LOCAL_BASE = 10_000;
/** The one size whose scores are scaled by hidden size and heads, which GGUF files don't say (27B). */
const LAYERS_OF_27B = 62;

/** The text part of Gemma 3: norms around, norms of queries and keys, and a rotary table for windowed layers. */
export const gemma3: Architecture = {
  name: 'gemma3',
  block: { norms: 'around', headNorms: 'each' },
  rotaryRows: 'halves',
  activation: 'gelu-tanh',
  checkpoint: { ...gemmaCheckpoint, modelTypes: ['gemma3_text'] },
  variant(metadata, { hiddenSize, headDim, heads, layers }) {
    const perHead = layers === LAYERS_OF_27B ? hiddenSize / heads : headDim;
    const windows = windowedLayers(metadata, 'gemma3', layers, (layer) => (layer + 1) % GLOBAL_EVERY !== 0);
    const layerKinds = windows?.map(
      ({ window }): LayerKind => ({ window, rotary: window === null ? 'global' : 'local' }),
    );
    const attentionCap = metadata.optionalNumber('gemma3.attn_logit_softcapping');
    const logitCap = metadata.optionalNumber('gemma3.final_logit_softcapping');
    return {
      embeddingScale: Math.sqrt(hiddenSize),
      attentionScale: metadata.optionalNumber('gemma3.attention.scale') ?? 1 / Math.sqrt(perHead),
      localRotaryBase: metadata.optionalNumber('gemma3.rope.freq_base_swa') ?? LOCAL_BASE,
      ...(attentionCap === null ? {} : { attentionCap }),
      ...(logitCap === null ? {} : { logitCap }),
      ...(layerKinds ? { layerKinds } : {}),
    };
  },
};
