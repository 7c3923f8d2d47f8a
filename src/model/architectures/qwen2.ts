import type { Architecture } from './architecture.js';

/** Qwen2, Qwen2.5, and models distilled into them. */
export const qwen2: Architecture = {
  name: 'qwen2',
  block: { norms: 'before', biases: true },
  rotaryRows: 'halves',
  checkpoint: { modelTypes: ['qwen2'] },
};
