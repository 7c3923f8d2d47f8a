import type { Architecture } from './architecture.js';

/** Granite 3: Llama with four factors. */
export const granite: Architecture = {
  name: 'granite',
  block: { norms: 'before' },
  rotaryRows: 'pairs',
  checkpoint: { modelTypes: ['granite'] },
  variant: (metadata) => ({
    attentionScale: metadata.number('granite.attention.scale'),
    embeddingScale: metadata.number('granite.embedding_scale'),
    residualScale: metadata.number('granite.residual_scale'),
    logitDivisor: metadata.number('granite.logit_scale'),
  }),
};
