import type { onnx } from 'onnx-proto';

/** Names of values that nodes read, those of graphs inside them (If, Loop) among them. */
export function referencesOf(nodes: readonly onnx.INodeProto[]): Set<string> {
  const found = nodes.flatMap((node) => [
    ...(node.input ?? []).filter((name) => name !== ''),
    ...innerGraphs(node).flatMap((inner) => [
      ...referencesOf(inner.node ?? []),
      ...(inner.output ?? []).map(({ name }) => name!),
    ]),
  ]);
  return new Set(found);
}

function innerGraphs({ attribute }: onnx.INodeProto): onnx.IGraphProto[] {
  return (attribute ?? []).flatMap(({ g, graphs }) => [...(g ? [g] : []), ...(graphs ?? [])]);
}

/** The nodes that the wanted values need, in their order. */
export function liveNodes(nodes: readonly onnx.INodeProto[], wanted: readonly string[]): onnx.INodeProto[] {
  const needed = new Set(wanted);
  const kept: onnx.INodeProto[] = [];
  // Nodes come after those that they read from.
  for (const node of nodes.toReversed()) {
    if (!node.output?.some((name) => needed.has(name))) continue;
    kept.push(node);
    for (const name of referencesOf([node])) needed.add(name);
  }
  return kept.reverse();
}

/** Give values of a graph, and nodes, other names, wherever they are read, made or stored. */
export function renameValues(graph: onnx.IGraphProto, names: ReadonlyMap<string, string>): void {
  const renamed = (name: string): string => names.get(name) ?? name;
  for (const node of graph.node ?? []) {
    node.name = renamed(node.name ?? '');
    node.input = (node.input ?? []).map(renamed);
    node.output = (node.output ?? []).map(renamed);
    for (const inner of innerGraphs(node)) renameValues(inner, names);
  }
  for (const value of [...(graph.initializer ?? []), ...(graph.output ?? [])])
    value.name = renamed(value.name!);
}
