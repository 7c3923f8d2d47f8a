import type { CheckpointForm } from './architecture.js';

/** What the checkpoints of Gemma 2 and 3 have in common. */
export const gemmaCheckpoint: Omit<CheckpointForm, 'modelTypes'> = {
  normsFromZero: true,
  names: {
    'post_attention_layernorm.weight': 'post_attention_norm.weight',
    'pre_feedforward_layernorm.weight': 'ffn_norm.weight',
    'post_feedforward_layernorm.weight': 'post_ffw_norm.weight',
  },
};
