import type { Architecture } from './architecture.js';

/** OLMo 2: norms behind attention and feed-forward layer, none before. */
export const olmo2: Architecture = {
  name: 'olmo2',
  block: { norms: 'after', headNorms: 'all' },
  rotaryRows: 'halves',
  checkpoint: {
    modelTypes: ['olmo2'],
    names: {
      'post_attention_layernorm.weight': 'post_attention_norm.weight',
      'post_feedforward_layernorm.weight': 'post_ffw_norm.weight',
    },
  },
};
