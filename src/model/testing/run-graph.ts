import { openSession } from '../../runtime/open-session.js';
import { elementCount, type InPlaceView, type TensorView } from '../../runtime/tensor-view.js';

export interface GraphRun {
  inputs: readonly TensorView[];
  /** Outputs and their sizes; float32 unless `type` says otherwise. */
  outputs: ReadonlyArray<{ name: string; dims: readonly number[]; type?: 'int32' }>;
  inPlace?: readonly InPlaceView[];
}

/** For tests: load a graph, run each step once, and give the outputs of each by name, as floats. */
export async function runGraph(
  graphPath: string,
  steps: readonly GraphRun[],
): Promise<Array<Record<string, Float32Array>>> {
  const session = await openSession(graphPath, { backend: 'c-api', threads: 1 });
  const results: Array<Record<string, Float32Array>> = [];
  try {
    for (const { inputs, outputs, inPlace = [] } of steps) {
      const views = outputs.map(({ name, dims, type }) => {
        const data = type === 'int32' ? Int32Array : Float32Array;
        return { name, dims, data: new data(elementCount(dims)) };
      });
      const run = session.bind({ inputs, outputs: views, inPlace });
      try {
        await run.run();
      } finally {
        run.release();
      }
      results.push(Object.fromEntries(views.map(({ name, data }) => [name, Float32Array.from(data)])));
    }
  } finally {
    await session.close();
  }
  return results;
}
