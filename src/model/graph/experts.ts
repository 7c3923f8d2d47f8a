import type { ExpertShape } from '../architectures/architecture.js';
import { GRAPH } from '../index.js';
import type { Matrix } from '../weights.js';
import { floatMatMul, floatMatrix } from './float-matrices.js';
import type { GraphWriter } from './graph-writer.js';

/** Where rows are sent. */
export interface Router {
  experts: ExpertShape;
  /** int64 [T, used]: the chosen experts, best first. */
  ids: string;
  /** float32 [T, experts]: what each counts; 0 for those that are not chosen. */
  weights: string;
}

const LAST_AXIS = { attributes: { axis: -1 } };

/** Choose the experts of each row: the most probable ones, by a softmax over all, always in float32. */
export async function route(
  graph: GraphWriter,
  name: string,
  experts: ExpertShape,
  rows: string,
  matrix: Matrix,
): Promise<Router> {
  const logits = floatMatMul(graph, `${name}.logits`, rows, await floatMatrix(graph, matrix.name, [matrix]));
  const probabilities = graph.node(`${name}.probabilities`, 'Softmax', [logits], LAST_AXIS);
  const count = await integers(graph, `${name}.count`, [experts.used]);
  const [chosen, ids] = [`${name}.chosen`, `${name}.ids`];
  graph.node(name, 'TopK', [probabilities, count], {
    attributes: { axis: -1, largest: 1, sorted: 1 },
    outputs: [chosen, ids],
  });
  const weights = experts.normalised ? await sharesOf(graph, name, chosen) : chosen;
  const shape = graph.node(`${name}.shape`, 'Shape', [probabilities]);
  const nothing = graph.node(`${name}.nothing`, 'ConstantOfShape', [shape]);
  const inputs = [nothing, ids, weights];
  return {
    experts,
    ids,
    weights: graph.node(`${name}.weights`, 'ScatterElements', inputs, { attributes: { axis: 1 } }),
  };
}

/** Products [T, experts · size], those of each expert times what it counts. */
export async function weighByExpert(
  graph: GraphWriter,
  name: string,
  products: string,
  { experts: { count, feedForwardSize }, weights }: Router,
): Promise<string> {
  const reshaped = async (part: string, values: string, dims: number[]): Promise<string> =>
    graph.node(`${name}.${part}`, 'Reshape', [values, await integers(graph, `${name}.${part}_shape`, dims)]);
  const apart = await reshaped('apart', products, [-1, count, feedForwardSize]);
  const factors = await reshaped('factors', weights, [-1, count, 1]);
  const weighed = graph.node(`${name}.weighed`, 'Mul', [apart, factors]);
  return reshaped('together', weighed, [-1, count * feedForwardSize]);
}

/** The output that says where each position was sent, layer by layer: int32 [B·S, layers, used]. */
export async function writeRoutedExperts(
  graph: GraphWriter,
  { used }: ExpertShape,
  ids: readonly string[],
): Promise<void> {
  const shape = await integers(graph, 'routed_experts_shape', [-1, 1, used]);
  const layers = ids.map((name) => graph.node(`${name}.layer`, 'Reshape', [name, shape]));
  const all = graph.node('routed_experts_wide', 'Concat', layers, { attributes: { axis: 1 } });
  graph.node(GRAPH.routedExperts, 'Cast', [all], { attributes: { to: INT32 } });
  graph.output(GRAPH.routedExperts, 'int32', ['positions', ids.length, used]);
}

const INT32 = 6;

async function sharesOf(graph: GraphWriter, name: string, chosen: string): Promise<string> {
  const axis = await integers(graph, `${name}.axis`, [-1]);
  const sum = graph.node(`${name}.sum`, 'ReduceSum', [chosen, axis], { attributes: { keepdims: 1 } });
  return graph.node(`${name}.shares`, 'Div', [chosen, sum]);
}

function integers(graph: GraphWriter, name: string, values: readonly number[]): Promise<string> {
  return graph.constant(name, 'int64', [values.length], BigInt64Array.from(values, BigInt));
}
