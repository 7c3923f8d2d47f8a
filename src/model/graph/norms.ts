import type { DecoderShape } from '../architectures/architecture.js';
import type { Vector } from '../weights.js';
import { type GraphWriter, MICROSOFT } from './graph-writer.js';

type Epsilon = Pick<DecoderShape, 'normEpsilon'>;

/** RMSNorm of rows, times `weight`. */
export async function normalised(
  graph: GraphWriter,
  name: string,
  { normEpsilon }: Epsilon,
  rows: string,
  weight: Vector,
): Promise<string> {
  const scale = await graph.constant(`${name}.weight`, 'float32', [weight.length], await weight.read());
  const attributes = { axis: -1, epsilon: { float: normEpsilon }, stash_type: 1 };
  return graph.node(name, 'SimplifiedLayerNormalization', [rows, scale], { attributes });
}

/**
 * Add what is pending to the residual stream, then normalise, if there is a weight. Returns the normalised rows and the
 * new stream.
 */
export async function addAndNorm(
  graph: GraphWriter,
  name: string,
  shape: Epsilon,
  stream: string,
  pending: string | null,
  weight: Vector | null,
): Promise<[string, string]> {
  if (weight === null) {
    const sum = pending === null ? stream : graph.node(`${name}.sum`, 'Add', [stream, pending]);
    return [sum, sum];
  }
  if (pending === null) return [await normalised(graph, name, shape, stream, weight), stream];
  const scale = await graph.constant(`${name}.weight`, 'float32', [weight.length], await weight.read());
  const sum = `${name}.sum`;
  graph.node(name, 'SkipSimplifiedLayerNormalization', [stream, pending, scale], {
    domain: MICROSOFT,
    attributes: { epsilon: { float: shape.normEpsilon } },
    outputs: [name, '', '', sum],
  });
  return [name, sum];
}
