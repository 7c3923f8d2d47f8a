import type { Architecture } from './architecture.js';
import { expertsOf } from './experts.js';

/** Qwen3's mixtures of experts. */
export const qwen3moe: Architecture = {
  name: 'qwen3moe',
  block: { norms: 'before', headNorms: 'each' },
  rotaryRows: 'halves',
  checkpoint: { modelTypes: ['qwen3_moe'] },
  variant: (metadata, common) => expertsOf(metadata, 'qwen3moe', common, true),
};
