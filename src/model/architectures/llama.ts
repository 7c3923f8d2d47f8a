import type { Architecture } from './architecture.js';
import { expertsOf } from './experts.js';
import { windowedLayers } from './windows.js';

/** Llama, SmolLM, SmolLM2, Mistral, Mixtral and others that convert to `general.architecture = llama`. */
export const llama: Architecture = {
  name: 'llama',
  block: { norms: 'before' },
  rotaryRows: 'pairs',
  checkpoint: { modelTypes: ['llama', 'mistral', 'mixtral'] },
  variant(metadata, common) {
    const layerKinds = windowedLayers(metadata, 'llama', common.layers, () => true);
    return {
      ...(layerKinds ? { layerKinds } : {}),
      ...expertsOf(metadata, 'llama', common, true),
    };
  },
};
