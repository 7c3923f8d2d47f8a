import type { Architecture } from './architecture.js';

/** GGUF files don't say which layers have no positions: it is every fourth. */
const WITHOUT_POSITIONS = 4;

/** SmolLM3: Llama, some of whose layers don't encode positions. */
export const smollm3: Architecture = {
  name: 'smollm3',
  block: { norms: 'before' },
  rotaryRows: 'pairs',
  checkpoint: { modelTypes: ['smollm3'] },
  variant(metadata, { layers }) {
    const rotated = metadata.optionalFlags('smollm3.rope.layers');
    const isRotated = (layer: number): boolean =>
      Array.isArray(rotated) ? rotated[layer] === true : (layer + 1) % WITHOUT_POSITIONS !== 0;
    return {
      layerKinds: Array.from({ length: layers }, (_, layer) => ({
        window: null,
        rotary: isRotated(layer) ? 'global' : 'none',
      })),
    };
  },
};
