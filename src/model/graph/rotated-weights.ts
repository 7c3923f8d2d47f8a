import type { DecoderShape } from '../architectures/architecture.js';
import { F32 } from '../gguf/block-formats.js';
import type { Matrix, Vector } from '../weights.js';
import type { DecoderWeights, LayerWeights } from './decoder-weights.js';
import { Orthogonal } from './orthogonal.js';

/**
 * Whether a decoder's weights can take rotations up: only plain RMSNorms before the matrices commute with them, not norms on
 * what a matrix gave, and experts share no matrix that could be rotated back.
 */
export function canBeRotated({ layers }: DecoderWeights): boolean {
  return layers.every(
    ({ attentionNorm, feedForwardNorm, postAttentionNorm, postFeedForwardNorm, router }) =>
      attentionNorm && feedForwardNorm && !postAttentionNorm && !postFeedForwardNorm && !router,
  );
}

/**
 * The same function with other weights, whose activations have no outliers and so lose little when they are rounded:
 * the residual stream and each value head are rotated. RMSNorm commutes with a rotation once its weights are folded into
 * the matrices that read it, so every matrix takes up its part and nothing is left to compute (QuaRot, arXiv:2404.00456).
 */
export function rotatedWeights(weights: DecoderWeights, shape: DecoderShape): DecoderWeights {
  const hidden = new Orthogonal(shape.hiddenSize);
  const head = new Orthogonal(shape.headDim);
  const reads = (matrix: Matrix, norm: Vector): Matrix =>
    changed(matrix, async (values) => {
      scaleColumns(values, await norm.read());
      hidden.apply(values, 1);
    });
  const layer = (old: LayerWeights): LayerWeights => ({
    ...old,
    attentionNorm: ones(old.attentionNorm!),
    query: reads(old.query, old.attentionNorm!),
    key: reads(old.key, old.attentionNorm!),
    value: changed(reads(old.value, old.attentionNorm!), (values) => head.apply(values, shape.hiddenSize)),
    ...(old.biases ? { biases: rotatedBiases(old.biases, head) } : {}),
    attentionOutput: changed(old.attentionOutput, (values) => {
      head.apply(values, 1);
      hidden.apply(values, old.attentionOutput.columns);
    }),
    feedForwardNorm: ones(old.feedForwardNorm!),
    gate: reads(old.gate, old.feedForwardNorm!),
    up: reads(old.up, old.feedForwardNorm!),
    down: changed(old.down, (values) => hidden.apply(values, old.down.columns)),
  });
  return {
    ...weights,
    embedding: changed(weights.embedding, (values) => hidden.apply(values, 1)),
    layers: weights.layers.map(layer),
    finalNorm: ones(weights.finalNorm),
    head: renamed(
      reads(weights.head ?? weights.embedding, weights.finalNorm),
      `${weights.embedding.name}.head`,
    ),
  };
}

/** Values are rotated, and so is what is added to them. */
function rotatedBiases(
  [query, key, value]: NonNullable<LayerWeights['biases']>,
  head: Orthogonal,
): NonNullable<LayerWeights['biases']> {
  const read = async (): Promise<Float32Array> => {
    const values = await value.read();
    head.apply(values, 1);
    return values;
  };
  return [query, key, { ...value, read }];
}

/** A matrix of floats made from another when it is read. */
function changed(matrix: Matrix, change: (values: Float32Array) => void | Promise<void>): Matrix {
  const read = async (): Promise<Uint8Array> => {
    const values = new Float32Array(matrix.rows * matrix.columns);
    matrix.format.dequantize(await matrix.read(), values);
    await change(values);
    return new Uint8Array(values.buffer);
  };
  return { ...matrix, format: F32, read };
}

function renamed(matrix: Matrix, name: string): Matrix {
  return { ...matrix, name };
}

function ones(vector: Vector): Vector {
  return { ...vector, read: async () => new Float32Array(vector.length).fill(1) };
}

function scaleColumns(values: Float32Array, factors: Float32Array): void {
  const columns = factors.length;
  for (let row = 0; row < values.length; row += columns) {
    for (let i = 0; i < columns; i++) values[row + i] = values[row + i]! * factors[i]!;
  }
}
