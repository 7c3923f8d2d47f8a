import type { GraphWriter } from './graph-writer.js';

/** Rows [n, columns] made more for kernels that should not see fewer, and n again afterwards. */
export interface RowPadding {
  pad(graph: GraphWriter, rows: string): string;
  trim(graph: GraphWriter, rows: string, name?: string): string;
}

const noPadding: RowPadding = {
  pad: (_, rows) => rows,
  trim: (_, rows) => rows,
};

/** Rows of zeros behind the n rows that `ids` [n] stand for, up to `fewest` in all. */
export async function paddingTo(graph: GraphWriter, fewest: number, ids: string): Promise<RowPadding> {
  if (fewest === 1) return noPadding;
  const integers = (part: string, ...values: number[]): Promise<string> =>
    graph.constant(`${ids}.${part}`, 'int64', [values.length], BigInt64Array.from(values, BigInt));
  const zero = await integers('zero', 0);
  const count = graph.node(`${ids}.count`, 'Shape', [ids]);
  const missing = graph.node(`${ids}.missing`, 'Sub', [await integers('fewest', fewest), count]);
  const added = graph.node(`${ids}.added`, 'Max', [missing, zero]);
  const before = await integers('before', 0, 0);
  const pads = graph.node(`${ids}.pads`, 'Concat', [before, added, zero], { attributes: { axis: 0 } });
  return {
    pad: (writer, rows) => writer.node(`${rows}.padded`, 'Pad', [rows, pads]),
    trim: (writer, rows, name = `${rows}.trimmed`) => writer.node(name, 'Slice', [rows, zero, count, zero]),
  };
}
