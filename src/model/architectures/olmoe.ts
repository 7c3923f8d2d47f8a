import type { Architecture } from './architecture.js';
import { expertsOf } from './experts.js';

/** OLMoE. */
export const olmoe: Architecture = {
  name: 'olmoe',
  block: { norms: 'before', headNorms: 'all' },
  rotaryRows: 'halves',
  checkpoint: { modelTypes: ['olmoe'] },
  variant: (metadata, common) => expertsOf(metadata, 'olmoe', common, false),
};
