import type { Architecture, DecoderShape } from '../architectures/architecture.js';
import type { Matrix, Vector, Weights } from '../weights.js';
import { pairsToHalves } from './row-order.js';

export interface LayerWeights {
  attentionNorm: Vector;
  query: Matrix;
  key: Matrix;
  value: Matrix;
  attentionOutput: Matrix;
  feedForwardNorm: Vector;
  gate: Matrix;
  up: Matrix;
  down: Matrix;
}

export interface DecoderWeights {
  embedding: Matrix;
  layers: LayerWeights[];
  finalNorm: Vector;
  /** Null when the head is the embedding. */
  head: Matrix | null;
}

/**
 * Find every tensor of a decoder before anything is written. Throws a StartupError that names the first one that
 * is missing, of a wrong shape, or in the file without a place in the graph.
 */
export function decoderWeights(
  architecture: Architecture,
  shape: DecoderShape,
  weights: Weights,
): DecoderWeights {
  const { vocabSize, hiddenSize, layers } = shape;
  const found: DecoderWeights = {
    embedding: weights.matrix(architecture.embedding, vocabSize, hiddenSize),
    layers: Array.from({ length: layers }, (_, index) => layerWeights(architecture, shape, weights, index)),
    finalNorm: weights.vector(architecture.finalNorm, hiddenSize),
    head: weights.has(architecture.head) ? weights.matrix(architecture.head, vocabSize, hiddenSize) : null,
  };
  weights.refuseUnused();
  return found;
}

function layerWeights(
  architecture: Architecture,
  { hiddenSize, feedForwardSize, heads, kvHeads, headDim }: DecoderShape,
  weights: Weights,
  index: number,
): LayerWeights {
  const names = architecture.layer(index);
  const rotated = (name: string, headCount: number): Matrix => {
    const matrix = weights.matrix(name, headCount * headDim, hiddenSize);
    const rows = weights.rotaryRowsOf(name) ?? architecture.rotaryRows;
    return rows === 'pairs' ? pairsToHalves(matrix, headDim) : matrix;
  };
  return {
    attentionNorm: weights.vector(names.attentionNorm, hiddenSize),
    query: rotated(names.query, heads),
    key: rotated(names.key, kvHeads),
    value: weights.matrix(names.value, kvHeads * headDim, hiddenSize),
    attentionOutput: weights.matrix(names.attentionOutput, hiddenSize, heads * headDim),
    feedForwardNorm: weights.vector(names.feedForwardNorm, hiddenSize),
    gate: weights.matrix(names.gate, feedForwardSize, hiddenSize),
    up: weights.matrix(names.up, feedForwardSize, hiddenSize),
    down: weights.matrix(names.down, hiddenSize, feedForwardSize),
  };
}
