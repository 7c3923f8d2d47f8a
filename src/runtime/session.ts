import type { InPlaceView, TensorView } from './tensor-view.js';

export interface SessionOptions {
  /** Intra-op threads, ≥ 1; the calling thread counts as one. */
  threads: number;
}

/** Tensors of one kind of step, bound once and run many times. */
export interface Binding {
  inputs: readonly TensorView[];
  outputs: readonly TensorView[];
  inPlace: readonly InPlaceView[];
}

/** A bound step: rewrite the bound arrays, then `run()`. Not re-entrant. */
export interface BoundRun {
  /** Resolves when the outputs hold the results; rejects with ONNX Runtime's message. */
  run(): Promise<void>;
  /** Give the native handles back. The arrays stay the caller's. */
  release(): void;
}

/** A loaded graph. One owner; `close()` exactly once, after every bound run was released. */
export interface Session {
  readonly backend: RuntimeBackend;
  bind(binding: Binding): BoundRun;
  close(): Promise<void>;
}

/** `c-api`: in-place buffers through the shared library. `node`: the stock binding, which copies outputs. */
export type RuntimeBackend = 'c-api' | 'node';
