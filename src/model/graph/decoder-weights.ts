import {
  type Architecture,
  type DecoderShape,
  EMBEDDING,
  FINAL_NORM,
  HEAD,
} from '../architectures/architecture.js';
import { LONG_FACTORS, ROTARY_FACTORS, SHORT_FACTORS } from '../architectures/rotary-scaling.js';
import type { Matrix, Vector, Weights } from '../weights.js';
import { rowsOf, sideBySide } from './matrix-parts.js';
import { pairsToHalves } from './row-order.js';

export interface LayerWeights {
  /** Null where queries, keys and values are made of the stream as it is. */
  attentionNorm: Vector | null;
  query: Matrix;
  key: Matrix;
  value: Matrix;
  /** Of queries, keys and values. */
  biases?: readonly [Vector, Vector, Vector];
  /** Of one head, or of all heads together. */
  queryNorm?: Vector;
  keyNorm?: Vector;
  attentionOutput: Matrix;
  postAttentionNorm?: Vector;
  feedForwardNorm: Vector | null;
  gate: Matrix;
  up: Matrix;
  down: Matrix;
  /** [experts, hidden]; then gate and up are those of all experts under one another, and down is them side by side. */
  router?: Matrix;
  postFeedForwardNorm?: Vector;
}

export interface DecoderWeights {
  embedding: Matrix;
  layers: LayerWeights[];
  finalNorm: Vector;
  /** Null when the head is the embedding. */
  head: Matrix | null;
  /** Divisors of the rotary frequencies. */
  rotaryFactors?: Vector;
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
  const rotaryFactors = factorsOf(shape, weights);
  const found: DecoderWeights = {
    embedding: weights.matrix(EMBEDDING, vocabSize, hiddenSize),
    layers: Array.from({ length: layers }, (_, index) => layerWeights(architecture, shape, weights, index)),
    finalNorm: weights.vector(FINAL_NORM, hiddenSize),
    head: weights.has(HEAD) ? weights.matrix(HEAD, vocabSize, hiddenSize) : null,
    ...(rotaryFactors ? { rotaryFactors } : {}),
  };
  weights.refuseUnused();
  return found;
}

/** A file of LongRoPE has both kinds of factors, of which one is used. */
function factorsOf(shape: DecoderShape, weights: Weights): Vector | undefined {
  const { rotaryScaling, rotaryDim = shape.headDim } = shape;
  const vector = (name: string): Vector => weights.vector(name, rotaryDim / 2);
  if (rotaryScaling?.kind === 'factors') {
    const [long, short] = [vector(LONG_FACTORS), vector(SHORT_FACTORS)];
    return rotaryScaling.tensor === LONG_FACTORS ? long : short;
  }
  return weights.has(ROTARY_FACTORS) ? vector(ROTARY_FACTORS) : undefined;
}

function layerWeights(
  { block, rotaryRows }: Architecture,
  shape: DecoderShape,
  weights: Weights,
  index: number,
): LayerWeights {
  const { hiddenSize, heads, kvHeads, headDim } = shape;
  const at = (part: string): string => `blk.${index}.${part}`;
  const norm = (part: string): Vector => weights.vector(at(`${part}.weight`), hiddenSize);
  const before = block.norms !== 'after';
  return {
    attentionNorm: before ? norm('attn_norm') : null,
    ...attentionWeights({ block, rotaryRows }, shape, weights, at),
    attentionOutput: weights.matrix(at('attn_output.weight'), hiddenSize, heads * headDim),
    feedForwardNorm: before ? norm('ffn_norm') : null,
    ...feedForwardWeights(block, shape, weights, at),
    ...(block.headNorms ? headNorms(block.headNorms, { heads, kvHeads, headDim }, weights, at) : {}),
    ...(block.norms === 'before'
      ? {}
      : {
          postAttentionNorm: norm('post_attention_norm'),
          postFeedForwardNorm: norm('post_ffw_norm'),
        }),
  };
}

function attentionWeights(
  { block, rotaryRows }: Pick<Architecture, 'block' | 'rotaryRows'>,
  { hiddenSize, heads, kvHeads, headDim }: DecoderShape,
  weights: Weights,
  at: (part: string) => string,
): Pick<LayerWeights, 'query' | 'key' | 'value' | 'biases'> {
  const [queryRows, keyRows] = [heads * headDim, kvHeads * headDim];
  if (block.fused) {
    const all = weights.matrix(at('attn_qkv.weight'), queryRows + 2 * keyRows, hiddenSize);
    return {
      query: rowsOf(all, 0, queryRows),
      key: rowsOf(all, queryRows, keyRows),
      value: rowsOf(all, queryRows + keyRows, keyRows),
    };
  }
  const rotated = (name: string, count: number): Matrix => {
    const matrix = weights.matrix(name, count, hiddenSize);
    const rows = weights.rotaryRowsOf(name) ?? rotaryRows;
    return rows === 'pairs' ? pairsToHalves(matrix, headDim) : matrix;
  };
  const bias = (part: string, count: number): Vector => weights.vector(at(`${part}.bias`), count);
  return {
    query: rotated(at('attn_q.weight'), queryRows),
    key: rotated(at('attn_k.weight'), keyRows),
    value: weights.matrix(at('attn_v.weight'), keyRows, hiddenSize),
    ...(block.biases
      ? { biases: [bias('attn_q', queryRows), bias('attn_k', keyRows), bias('attn_v', keyRows)] as const }
      : {}),
  };
}

function headNorms(
  over: 'each' | 'all',
  { heads, kvHeads, headDim }: Pick<DecoderShape, 'heads' | 'kvHeads' | 'headDim'>,
  weights: Weights,
  at: (part: string) => string,
): Pick<LayerWeights, 'queryNorm' | 'keyNorm'> {
  const length = (count: number): number => (over === 'each' ? headDim : count * headDim);
  return {
    queryNorm: weights.vector(at('attn_q_norm.weight'), length(heads)),
    keyNorm: weights.vector(at('attn_k_norm.weight'), length(kvHeads)),
  };
}

function feedForwardWeights(
  block: Architecture['block'],
  { hiddenSize, feedForwardSize, experts }: DecoderShape,
  weights: Weights,
  at: (part: string) => string,
): Pick<LayerWeights, 'gate' | 'up' | 'down' | 'router'> {
  if (experts) {
    const { count, feedForwardSize: size } = experts;
    return {
      router: weights.matrix(at('ffn_gate_inp.weight'), count, hiddenSize),
      gate: weights.stack(at('ffn_gate_exps.weight'), count, size, hiddenSize),
      up: weights.stack(at('ffn_up_exps.weight'), count, size, hiddenSize),
      down: sideBySide(weights.stack(at('ffn_down_exps.weight'), count, hiddenSize, size), count),
    };
  }
  const down = weights.matrix(at('ffn_down.weight'), hiddenSize, feedForwardSize);
  if (block.fused) {
    const both = weights.matrix(at('ffn_up.weight'), 2 * feedForwardSize, hiddenSize);
    return {
      gate: rowsOf(both, 0, feedForwardSize),
      up: rowsOf(both, feedForwardSize, feedForwardSize),
      down,
    };
  }
  return {
    gate: weights.matrix(at('ffn_gate.weight'), feedForwardSize, hiddenSize),
    up: weights.matrix(at('ffn_up.weight'), feedForwardSize, hiddenSize),
    down,
  };
}
