import { StartupError } from '../../errors.js';
import type { Metadata } from '../gguf/metadata.js';
import type { LayerKind } from './architecture.js';

/**
 * Layers of which some see a window only. Which do is in the metadata (`attention.sliding_window_pattern`: a list, or
 * every how many layers one sees everything), else as `isWindowed` says. Undefined when the model has no window.
 * Throws a StartupError.
 */
export function windowedLayers(
  metadata: Metadata,
  name: string,
  layers: number,
  isWindowed: (layer: number) => boolean,
): LayerKind[] | undefined {
  const window = metadata.optionalCount(`${name}.attention.sliding_window`);
  if (window === null) return undefined;
  const windowed = pattern(metadata, name, layers) ?? isWindowed;
  return Array.from({ length: layers }, (_, layer) => ({
    window: windowed(layer) ? window : null,
    rotary: 'global',
  }));
}

function pattern(metadata: Metadata, name: string, layers: number): ((layer: number) => boolean) | null {
  const key = `${name}.attention.sliding_window_pattern`;
  const flags = metadata.optionalFlags(key);
  if (flags === null) return null;
  if (typeof flags === 'number') return (layer) => (layer + 1) % flags !== 0;
  if (flags.length !== layers) {
    throw new StartupError(
      `${metadata.nameOf(key)} names ${flags.length} layers, but the model has ${layers}.`,
    );
  }
  return (layer) => flags[layer]!;
}
