import type { Metadata } from '../gguf/metadata.js';

/** The numbers that fix a decoder's graph. */
export interface DecoderShape {
  vocabSize: number;
  hiddenSize: number;
  feedForwardSize: number;
  layers: number;
  heads: number;
  kvHeads: number;
  headDim: number;
  contextLength: number;
  normEpsilon: number;
  /** Base of the rotary frequencies. */
  rotaryBase: number;
}

export interface LayerTensors {
  attentionNorm: string;
  query: string;
  key: string;
  value: string;
  attentionOutput: string;
  feedForwardNorm: string;
  gate: string;
  up: string;
  down: string;
}

/**
 * A decoder family: what its metadata means and what its tensors are called. The graph itself is one for all:
 * pre-norm blocks of grouped-query attention with rotary positions and a gated feed-forward layer.
 */
export interface Architecture {
  /** `general.architecture` of its files. */
  name: string;
  /** Read the shape. Throws a StartupError for anything that the graph can't express. */
  shape(metadata: Metadata, vocabSize: number): DecoderShape;
  embedding: string;
  finalNorm: string;
  /** A file without this tensor ties its head to the embedding. */
  head: string;
  layer(index: number): LayerTensors;
  /** How the rows of a query or key head are stored: rotated halves after one another, or pair by pair. */
  rotaryRows: 'halves' | 'pairs';
}
