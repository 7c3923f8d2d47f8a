/** Element types that our graphs use, with the enum value of `ONNXTensorElementDataType` (onnxruntime_c_api.h). */
export const ELEMENT_TYPE = { float32: 1, uint8: 2, int32: 6, int64: 7 } as const;

export type ElementType = keyof typeof ELEMENT_TYPE;

export type TensorData = Float32Array | Int32Array | BigInt64Array | Uint8Array;

/**
 * A named tensor over memory that the caller owns and may rewrite between runs. `data` may be a view at an
 * offset of a larger buffer; the runtime keeps a reference to it for as long as the binding lives.
 */
export interface TensorView {
  name: string;
  data: TensorData;
  dims: readonly number[];
}

/** An input and an output of the graph that share one buffer: the kernel appends to it in place. */
export interface InPlaceView {
  input: string;
  output: string;
  data: Float32Array;
  dims: readonly number[];
}

/** Number of elements of a tensor of these dimensions. */
export function elementCount(dims: readonly number[]): number {
  return dims.reduce((product, dim) => product * dim, 1);
}

/** The element type that a typed array stands for. */
export function elementTypeOf(data: TensorData): ElementType {
  if (data instanceof Float32Array) return 'float32';
  if (data instanceof Int32Array) return 'int32';
  if (data instanceof BigInt64Array) return 'int64';
  return 'uint8';
}
