import type { Metadata } from '../gguf/metadata.js';
import type { Architecture, DecoderShape } from './architecture.js';
import { LONG_FACTORS, SHORT_FACTORS } from './rotary-scaling.js';
import { windowedLayers } from './windows.js';

/** Phi-3, Phi-3.5 and Phi-4-mini: fused matrices, rotation of a part of each head, LongRoPE (arXiv:2402.13753). */
export const phi3: Architecture = {
  name: 'phi3',
  block: { norms: 'before', fused: true },
  rotaryRows: 'halves',
  checkpoint: { modelTypes: ['phi3'] },
  variant(metadata, common) {
    const layerKinds = windowedLayers(metadata, 'phi3', common.layers, () => true);
    return { ...(layerKinds ? { layerKinds } : {}), ...longRope(metadata, common) };
  },
};

/**
 * Models with a long context use their long factors at every length. Factors that changed with a sequence's length would
 * leave keys in the cache that were rotated by others.
 */
function longRope(metadata: Metadata, { contextLength }: DecoderShape): Partial<DecoderShape> {
  const original = metadata.optionalCount('phi3.rope.scaling.original_context_length');
  const magnitude = metadata.optionalNumber('phi3.rope.scaling.attn_factor');
  if (original === null || magnitude === null) return {};
  const tensor = contextLength > original ? LONG_FACTORS : SHORT_FACTORS;
  return { rotaryScaling: { kind: 'factors', tensor, magnitude } };
}
