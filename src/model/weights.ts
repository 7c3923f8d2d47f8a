import { StartupError } from '../errors.js';
import type { BlockFormat } from './gguf/block-format.js';

export interface TensorInfo {
  /** As its file has it. */
  name: string;
  /** Fastest dimension first: a matrix is [columns, rows]. */
  shape: readonly number[];
  format: BlockFormat;
  byteLength: number;
  /** How rows of query and key heads are stored, where it is not as the architecture says. */
  rotaryRows?: 'halves' | 'pairs' | undefined;
}

/** Where tensors come from. */
export interface TensorSource {
  /** For messages. */
  readonly path: string;
  readonly tensors: ReadonlyMap<string, TensorInfo>;
  read(name: string): Promise<Uint8Array>;
}

/** A stored matrix [rows, columns], row after row. */
export interface Matrix {
  name: string;
  rows: number;
  columns: number;
  format: BlockFormat;
  /** Its bytes as stored, rows in the order that the graph wants. */
  read(): Promise<Uint8Array>;
}

export interface Vector {
  name: string;
  length: number;
  read(): Promise<Float32Array>;
}

/** Hands out the tensors of a source by name, checks their shapes, and knows which were never asked for. */
export class Weights {
  private readonly asked = new Set<string>();

  constructor(private readonly source: TensorSource) {}

  has(name: string): boolean {
    return this.source.tensors.has(name);
  }

  /** How a tensor's rotary rows are stored, when it is not as usual for the architecture. */
  rotaryRowsOf(name: string): 'halves' | 'pairs' | undefined {
    return this.source.tensors.get(name)?.rotaryRows;
  }

  /** A matrix [rows, columns]. Throws a StartupError that names the tensor when it is missing or of another shape. */
  matrix(name: string, rows: number, columns: number): Matrix {
    const { format } = this.find(name, [columns, rows]);
    return { name, rows, columns, format, read: () => this.source.read(name) };
  }

  /**
   * Matrices [rows, columns] of which the file stores `count` in one tensor, under one another: [count · rows, columns].
   * Throws a StartupError as `matrix` does.
   */
  stack(name: string, count: number, rows: number, columns: number): Matrix {
    const { format } = this.find(name, [columns, rows, count]);
    return { name, rows: count * rows, columns, format, read: () => this.source.read(name) };
  }

  /** A vector of floats. Throws a StartupError that names the tensor when it is missing or of another shape. */
  vector(name: string, length: number): Vector {
    const { format } = this.find(name, [length]);
    return {
      name,
      length,
      read: async () => {
        const out = new Float32Array(length);
        format.dequantize(await this.source.read(name), out);
        return out;
      },
    };
  }

  /** Throws a StartupError that names a tensor nobody asked for: without it the model would compute something else. */
  refuseUnused(): void {
    const unused = [...this.source.tensors]
      .filter(([name]) => !this.asked.has(name))
      .map(([, info]) => info.name);
    if (unused.length === 0) return;
    const others = unused.length > 1 ? ` and ${unused.length - 1} more tensors` : '';
    throw new StartupError(
      `${this.source.path} holds tensor ${unused[0]}${others}, which tito's graph for this architecture has no place for.`,
    );
  }

  private find(name: string, shape: readonly number[]): TensorInfo {
    const info = this.source.tensors.get(name);
    if (!info) throw new StartupError(`${this.source.path} has no tensor ${name}: the file is incomplete.`);
    if (info.shape.length !== shape.length || info.shape.some((size, axis) => size !== shape[axis])) {
      throw new StartupError(
        `${this.source.path}: tensor ${info.name} has shape [${info.shape.join(', ')}], expected [${shape.join(', ')}].`,
      );
    }
    this.asked.add(name);
    return info;
  }
}
