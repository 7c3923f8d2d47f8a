import type { Architecture } from './architecture.js';

/** Qwen3. */
export const qwen3: Architecture = {
  name: 'qwen3',
  block: { norms: 'before', headNorms: 'each' },
  rotaryRows: 'halves',
  checkpoint: { modelTypes: ['qwen3'] },
};
