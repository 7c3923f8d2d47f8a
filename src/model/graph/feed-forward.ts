import type { Activation, DecoderShape } from '../architectures/architecture.js';
import type { LayerWeights } from './decoder-weights.js';
import { type Router, weighByExpert } from './experts.js';
import { type GraphWriter, MICROSOFT } from './graph-writer.js';
import type { Projections } from './projections.js';

export interface FeedForwardPlan {
  index: number;
  shape: DecoderShape;
  layer: LayerWeights;
  projections: Projections;
}

/**
 * down(activation(gate(x)) · up(x)) of rows x. With experts all of them are computed, and those that a row isn't sent to
 * count nothing: so a row's bits don't depend on how many others go to the same expert.
 */
export async function feedForward(
  graph: GraphWriter,
  { index, shape, layer, projections }: FeedForwardPlan,
  rows: string,
  router: Router | null,
): Promise<string> {
  const at = (part: string): string => `layer.${index}.${part}`;
  const gateUp = await projections.project(graph, at('gate_up'), rows, [layer.gate, layer.up], 'normed');
  const products = gated(graph, at, gateUp, shape.activation ?? 'silu');
  const weighed = router ? await weighByExpert(graph, at('experts'), products, router) : products;
  return projections.project(graph, at('ffn_down'), weighed, [layer.down], 'products');
}

/** activation(gate) · up, from the two side by side. */
function gated(
  graph: GraphWriter,
  at: (part: string) => string,
  gateUp: string,
  activation: Activation,
): string {
  const halves = [at('gate'), at('up')];
  graph.node(at('gate_up_split'), 'Split', [gateUp], { attributes: { axis: -1 }, outputs: halves });
  return graph.node(at('gated'), 'Mul', [activated(graph, at, halves[0]!, activation), halves[1]!]);
}

/** SiLU is QuickGelu with a factor of 1; FastGelu is GELU by way of tanh. */
function activated(
  graph: GraphWriter,
  at: (part: string) => string,
  gate: string,
  activation: Activation,
): string {
  if (activation === 'gelu-tanh') return graph.node(at('gelu'), 'FastGelu', [gate], { domain: MICROSOFT });
  return graph.node(at('silu'), 'QuickGelu', [gate], {
    domain: MICROSOFT,
    attributes: { alpha: { float: 1 } },
  });
}
