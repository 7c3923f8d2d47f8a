import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ExternalData } from '../graph/external-data.js';
import { GraphWriter } from '../graph/graph-writer.js';
import { runGraph } from './run-graph.js';
import { temporaryFolder } from './temporary-folder.js';

/** Writes nodes that read `x` [t, columns] and `ids` [n]; returns the name of the result. */
type Author = (graph: GraphWriter) => Promise<string>;

interface Authored {
  /** Row-major. */
  x: Float32Array;
  columns: number;
  ids?: readonly number[];
  /** Dimensions of the result. */
  dims: readonly [rows: number, columns: number];
}

/** For tests: write a graph, run it once, and say which operators it has. */
export async function runAuthored(
  { x, columns, ids = [0], dims }: Authored,
  author: Author,
): Promise<{ values: Float32Array; operators: string[] }> {
  const folder = await temporaryFolder();
  const data = await ExternalData.create(join(folder, 'g.data'), 'g.data');
  const graph = new GraphWriter(data);
  const operators: string[] = [];
  const node = graph.node.bind(graph);
  graph.node = (name, operator, inputs, options) => {
    operators.push(operator);
    return node(name, operator, inputs, options);
  };
  graph.input('x', 'float32', ['t', columns]);
  graph.input('ids', 'int64', ['n']);
  const output = await author(graph);
  graph.output(output, 'float32', [...dims]);
  await data.close();
  await writeFile(join(folder, 'g.onnx'), graph.serialize('1'));
  const inputs = [
    { name: 'x', data: x, dims: [x.length / columns, columns] },
    { name: 'ids', data: BigInt64Array.from(ids, BigInt), dims: [ids.length] },
  ];
  const [result] = await runGraph(join(folder, 'g.onnx'), [
    { inputs, outputs: [{ name: output, dims: [...dims] }] },
  ]);
  return { values: result![output]!, operators };
}
