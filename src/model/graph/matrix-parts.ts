import type { Matrix } from '../weights.js';

/** `count` rows of a matrix, from row `first` on. */
export function rowsOf(matrix: Matrix, first: number, count: number): Matrix {
  const { columns, format } = matrix;
  const rowBytes = (columns / format.weights) * format.bytes;
  const read = async (): Promise<Uint8Array> =>
    (await matrix.read()).slice(first * rowBytes, (first + count) * rowBytes);
  return { ...matrix, name: `${matrix.name}.rows_${first}`, rows: count, read };
}

/**
 * Matrices under one another, [count · rows, columns], beside one another instead: [rows, count · columns]. Blocks of a
 * format stay whole, since they lie along rows.
 */
export function sideBySide(matrix: Matrix, count: number): Matrix {
  const { columns, format } = matrix;
  const rows = matrix.rows / count;
  const rowBytes = (columns / format.weights) * format.bytes;
  const read = async (): Promise<Uint8Array> => {
    const stored = await matrix.read();
    const beside = new Uint8Array(stored.length);
    for (let row = 0; row < rows; row++) {
      for (let part = 0; part < count; part++) {
        const from = (part * rows + row) * rowBytes;
        beside.set(stored.subarray(from, from + rowBytes), (row * count + part) * rowBytes);
      }
    }
    return beside;
  };
  return { ...matrix, rows, columns: count * columns, read };
}
