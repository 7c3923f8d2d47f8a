import type { GraphWriter } from './graph-writer.js';

/** Rows [n, columns] made more for kernels that should not see fewer, and n again afterwards. */
export interface RowPadding {
  pad(rows: string): string;
  trim(rows: string, name?: string): string;
}

const noPadding: RowPadding = { pad: (rows) => rows, trim: (rows) => rows };

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
    pad: (rows) => graph.node(`${rows}.padded`, 'Pad', [rows, pads]),
    trim: (rows, name = `${rows}.trimmed`) => graph.node(name, 'Slice', [rows, zero, count, zero]),
  };
}
