import type { GraphWriter } from './graph-writer.js';

/** x · factor; x itself when there is no factor. */
export async function scaled(
  graph: GraphWriter,
  name: string,
  x: string,
  factor: number | undefined,
): Promise<string> {
  if (factor === undefined) return x;
  return graph.node(name, 'Mul', [x, await scalar(graph, `${name}.factor`, factor)]);
}

/** cap · tanh(x / cap). */
export async function softCapped(graph: GraphWriter, name: string, x: string, cap: number): Promise<string> {
  const limit = await scalar(graph, `${name}.cap`, cap);
  const within = graph.node(`${name}.within`, 'Div', [x, limit]);
  return graph.node(name, 'Mul', [graph.node(`${name}.bent`, 'Tanh', [within]), limit]);
}

function scalar(graph: GraphWriter, name: string, value: number): Promise<string> {
  return graph.constant(name, 'float32', [], Float32Array.of(value));
}
