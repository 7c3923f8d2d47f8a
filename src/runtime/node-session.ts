import * as ort from 'onnxruntime-node';
import type { Binding, BoundRun, Session, SessionOptions } from './session.js';
import { sessionConfig } from './session-config.js';
import { elementCount, elementTypeOf, type TensorData } from './tensor-view.js';

/**
 * Load a graph through the stock onnxruntime-node binding: the way out where the C API can't be loaded. It
 * copies every output, so each step copies the whole key/value cache of its rows.
 */
export async function openNodeSession(graphPath: string, options: SessionOptions): Promise<Session> {
  const session = await ort.InferenceSession.create(graphPath, {
    graphOptimizationLevel: 'all',
    intraOpNumThreads: options.threads,
    extra: { session: sessionConfig() },
  });
  return {
    backend: 'node',
    bind: (binding) => bindNodeRun(session, binding),
    close: () => session.release(),
  };
}

function bindNodeRun(session: ort.InferenceSession, { inputs, outputs, inPlace }: Binding): BoundRun {
  const targets: Array<{ name: string; data: TensorData; dims: readonly number[] }> = [
    ...outputs,
    ...inPlace.map(({ output, data, dims }) => ({ name: output, data, dims })),
  ];
  const fetches = targets.map(({ name }) => name);
  return {
    async run() {
      const feeds: Record<string, ort.Tensor> = {};
      for (const { name, data, dims } of inputs) feeds[name] = tensorOver(data, dims);
      for (const { input, data, dims } of inPlace) feeds[input] = tensorOver(data, dims);
      const results = await session.run(feeds, fetches);
      for (const { name, data } of targets) copyInto(data, results[name]);
    },
    release() {},
  };
}

function tensorOver(data: TensorData, dims: readonly number[]): ort.Tensor {
  const exact = data.subarray(0, elementCount(dims));
  return new ort.Tensor(elementTypeOf(data), exact as Float32Array, [...dims]);
}

function copyInto(target: TensorData, result: ort.Tensor | undefined): void {
  if (!result) throw new Error('ONNX Runtime left an output out');
  (target as Float32Array).set(result.data as Float32Array);
  result.dispose();
}
