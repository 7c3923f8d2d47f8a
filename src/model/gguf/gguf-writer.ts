import { writeFile } from 'node:fs/promises';
import type { BlockFormat } from './block-format.js';
import { F32 } from './block-formats.js';
import { quantize } from './quantize.js';

/** A metadata value; integers are written as uint32, other numbers as float32. */
export type WritableValue =
  | string
  | boolean
  | number
  | { float32: number }
  | readonly string[]
  | readonly number[];

export interface WritableTensor {
  name: string;
  /** Fastest dimension first: a matrix is [columns, rows]. */
  shape: readonly number[];
  /** How `values` are stored. Default: F32. */
  format?: BlockFormat;
  values: Float32Array;
}

const VERSION = 3;
const ALIGNMENT = 32;
const VALUE = { uint32: 4, int32: 5, float32: 6, boolean: 7, string: 8, array: 9 } as const;

/** Write a GGUF file of version 3. Vectors should stay in F32, as all readers expect them. */
export async function writeGguf(
  path: string,
  metadata: Readonly<Record<string, WritableValue>>,
  tensors: readonly WritableTensor[],
): Promise<void> {
  await writeFile(path, ggufBytes(metadata, tensors));
}

/** The content of such a file. */
export function ggufBytes(
  metadata: Readonly<Record<string, WritableValue>>,
  tensors: readonly WritableTensor[],
): Uint8Array {
  const out = new ByteWriter();
  out.bytes(Buffer.from('GGUF'));
  out.uint32(VERSION);
  out.uint64(tensors.length);
  out.uint64(Object.keys(metadata).length);
  for (const [key, value] of Object.entries(metadata)) {
    out.string(key);
    writeValue(out, value);
  }
  const stored = tensors.map((tensor) => quantize(tensor.format ?? F32, tensor.values));
  let offset = 0;
  for (const [index, { name, shape, format = F32 }] of tensors.entries()) {
    out.string(name);
    out.uint32(shape.length);
    for (const size of shape) out.uint64(size);
    out.uint32(format.type);
    out.uint64(offset);
    offset += aligned(stored[index]!.length);
  }
  for (const bytes of stored) {
    out.align();
    out.bytes(bytes);
  }
  out.align();
  return out.finish();
}

function aligned(size: number): number {
  return Math.ceil(size / ALIGNMENT) * ALIGNMENT;
}

function writeValue(out: ByteWriter, value: WritableValue): void {
  if (Array.isArray(value)) {
    writeArray(out, value);
  } else if (typeof value === 'string') {
    out.uint32(VALUE.string);
    out.string(value);
  } else if (typeof value === 'boolean') {
    out.uint32(VALUE.boolean);
    out.bytes(Uint8Array.of(value ? 1 : 0));
  } else if (typeof value === 'number' && Number.isInteger(value)) {
    out.uint32(VALUE.uint32);
    out.uint32(value);
  } else {
    out.uint32(VALUE.float32);
    out.float32(typeof value === 'number' ? value : (value as { float32: number }).float32);
  }
}

function writeArray(out: ByteWriter, values: readonly string[] | readonly number[]): void {
  const strings = typeof values[0] === 'string';
  out.uint32(VALUE.array);
  out.uint32(strings ? VALUE.string : VALUE.int32);
  out.uint64(values.length);
  for (const value of values) {
    if (typeof value === 'string') out.string(value);
    else out.uint32(value >>> 0);
  }
}

class ByteWriter {
  private readonly parts: Uint8Array[] = [];
  private length = 0;

  bytes(part: Uint8Array): void {
    this.parts.push(part);
    this.length += part.length;
  }

  uint32(value: number): void {
    const part = Buffer.alloc(4);
    part.writeUInt32LE(value);
    this.bytes(part);
  }

  uint64(value: number): void {
    const part = Buffer.alloc(8);
    part.writeBigUInt64LE(BigInt(value));
    this.bytes(part);
  }

  float32(value: number): void {
    const part = Buffer.alloc(4);
    part.writeFloatLE(value);
    this.bytes(part);
  }

  string(value: string): void {
    const text = Buffer.from(value);
    this.uint64(text.length);
    this.bytes(text);
  }

  align(): void {
    this.bytes(new Uint8Array(aligned(this.length) - this.length));
  }

  finish(): Uint8Array {
    return Buffer.concat(this.parts);
  }
}
