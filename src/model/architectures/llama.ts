import { StartupError } from '../../errors.js';
import type { Metadata } from '../gguf/metadata.js';
import type { Architecture, DecoderShape } from './architecture.js';

/** Llama, SmolLM, SmolLM2, Mistral and others that convert to `general.architecture = llama`. */
export const llama: Architecture = {
  name: 'llama',
  shape,
  embedding: 'token_embd.weight',
  finalNorm: 'output_norm.weight',
  head: 'output.weight',
  layer: (index) => ({
    attentionNorm: `blk.${index}.attn_norm.weight`,
    query: `blk.${index}.attn_q.weight`,
    key: `blk.${index}.attn_k.weight`,
    value: `blk.${index}.attn_v.weight`,
    attentionOutput: `blk.${index}.attn_output.weight`,
    feedForwardNorm: `blk.${index}.ffn_norm.weight`,
    gate: `blk.${index}.ffn_gate.weight`,
    up: `blk.${index}.ffn_up.weight`,
    down: `blk.${index}.ffn_down.weight`,
  }),
  rotaryRows: 'pairs',
};

function shape(metadata: Metadata, vocabSize: number): DecoderShape {
  const hiddenSize = metadata.count('llama.embedding_length');
  const heads = metadata.count('llama.attention.head_count');
  const headDim = metadata.optionalCount('llama.attention.key_length') ?? hiddenSize / heads;
  refuseVariants(metadata, headDim);
  return {
    vocabSize,
    hiddenSize,
    feedForwardSize: metadata.count('llama.feed_forward_length'),
    layers: metadata.count('llama.block_count'),
    heads,
    kvHeads: metadata.optionalCount('llama.attention.head_count_kv') ?? heads,
    headDim,
    contextLength: metadata.count('llama.context_length'),
    normEpsilon: metadata.number('llama.attention.layer_norm_rms_epsilon'),
    rotaryBase: metadata.optionalNumber('llama.rope.freq_base') ?? 10000,
  };
}

function refuseVariants(metadata: Metadata, headDim: number): void {
  const scaling = metadata.optionalString('llama.rope.scaling.type') ?? 'none';
  if (scaling !== 'none') {
    throw new StartupError(`Rotary scaling "${scaling}" (llama.rope.scaling.type) is not supported yet.`);
  }
  if ((metadata.optionalNumber('llama.expert_count') ?? 0) > 0) {
    throw new StartupError('Mixture-of-experts models (llama.expert_count) are not supported yet.');
  }
  const rotated = metadata.optionalCount('llama.rope.dimension_count') ?? headDim;
  const valueDim = metadata.optionalCount('llama.attention.value_length') ?? headDim;
  if (rotated !== headDim || valueDim !== headDim) {
    throw new StartupError(
      `Heads of ${headDim} with ${rotated} rotated dimensions and values of ${valueDim} are not supported: all three must agree.`,
    );
  }
}
