import type { ModelConfig } from './index.js';

/** Keys and values are float32. */
const ELEMENT_BYTES = 4;

/** Bytes that the keys and values of one position take, over all layers. */
export function positionBytes({
  layers,
  kvHeads,
  headDim,
}: Pick<ModelConfig, 'layers' | 'kvHeads' | 'headDim'>): number {
  return 2 * layers * kvHeads * headDim * ELEMENT_BYTES;
}
