import type { Matrix } from '../weights.js';

/**
 * The matrix with the rows of each head in rotated halves: stored row 2j + h of a head becomes row
 * h·headDim/2 + j. Undoes the pair order that GGUF gives query and key matrices of some families.
 */
export function pairsToHalves(matrix: Matrix, headDim: number): Matrix {
  const { rows, columns, format } = matrix;
  const rowBytes = (columns / format.weights) * format.bytes;
  const half = headDim / 2;
  const read = async (): Promise<Uint8Array> => {
    const stored = await matrix.read();
    const ordered = new Uint8Array(stored.length);
    for (let row = 0; row < rows; row++) {
      const within = row % headDim;
      const from = row - within + 2 * (within % half) + Math.floor(within / half);
      ordered.set(stored.subarray(from * rowBytes, (from + 1) * rowBytes), row * rowBytes);
    }
    return ordered;
  };
  return { ...matrix, read };
}
