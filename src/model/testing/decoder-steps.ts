import type { TensorView } from '../../runtime/tensor-view.js';
import type { DecoderShape } from '../architectures/architecture.js';
import { GRAPH } from '../index.js';
import type { GraphRun } from './run-graph.js';

/** Rows of new tokens from slot `first` on, each after its `past` positions; logits of the `wanted` flattened positions. */
export type Step = (first: number, rows: number[][], past: number[], wanted: number[]) => GraphRun;

/** For tests: makes steps that share one set of key/value buffers. */
export function decoderSteps(
  shape: Pick<DecoderShape, 'layers' | 'kvHeads' | 'headDim' | 'vocabSize'>,
  slots: number,
  capacity: number,
): Step {
  const { layers, kvHeads, headDim, vocabSize } = shape;
  const rowSize = kvHeads * capacity * headDim;
  const buffers = Array.from({ length: 2 * layers }, () => new Float32Array(slots * rowSize));
  return (first, rows, past, wanted) => {
    const length = rows[0]!.length;
    const lengths = past.map((count) => count + length);
    const inputs: TensorView[] = [
      { name: GRAPH.inputIds, data: BigInt64Array.from(rows.flat(), BigInt), dims: [rows.length, length] },
      { name: GRAPH.seqlensK, data: Int32Array.from(lengths, (total) => total - 1), dims: [rows.length] },
      { name: GRAPH.totalSequenceLength, data: Int32Array.of(Math.max(...lengths)), dims: [1] },
      { name: GRAPH.logitRows, data: BigInt64Array.from(wanted, BigInt), dims: [wanted.length] },
      {
        name: GRAPH.inverseTemperature,
        data: new Float32Array(wanted.length).fill(1),
        dims: [wanted.length, 1],
      },
    ];
    const inPlace = buffers.map((buffer, index) => {
      const layer = index >> 1;
      const [input, output] =
        index % 2 === 0
          ? [GRAPH.pastKey(layer), GRAPH.presentKey(layer)]
          : [GRAPH.pastValue(layer), GRAPH.presentValue(layer)];
      const data = buffer.subarray(first * rowSize, (first + rows.length) * rowSize);
      return { input, output, data, dims: [rows.length, kvHeads, capacity, headDim] };
    });
    return { inputs, outputs: [{ name: GRAPH.logits, dims: [wanted.length, vocabSize] }], inPlace };
  };
}
