import { F32 } from '../gguf/block-formats.js';
import type { TensorInfo, TensorSource } from '../weights.js';
import type { Target } from './tensor-names.js';

interface Place {
  source: TensorSource;
  /** In the source. */
  name: string;
  info: TensorInfo;
  fromZero: boolean;
}

/**
 * Tensors under their GGUF names that come from several sources: those of a base, others laid over them, and stacks of
 * experts put together from a tensor each.
 */
export class AssembledTensors implements TensorSource {
  readonly tensors: Map<string, TensorInfo>;
  readonly #whole = new Map<string, Place>();
  readonly #experts = new Map<string, Map<number, Place>>();

  constructor(private readonly base: TensorSource) {
    this.tensors = new Map(base.tensors);
  }

  get path(): string {
    return this.base.path;
  }

  /** Lay a source's tensor over what is there. `rotaryRows` is how rows are stored, if not as GGUF has them. */
  put(target: Target, source: TensorSource, name: string, rotaryRows?: TensorInfo['rotaryRows']): void {
    const info = source.tensors.get(name)!;
    const place = { source, name, info, fromZero: target.fromZero ?? false };
    if (target.expert === undefined) {
      this.#experts.delete(target.name);
      this.#whole.set(target.name, place);
      this.tensors.set(target.name, { ...(place.fromZero ? asFloats(info) : info), rotaryRows });
      return;
    }
    const experts = this.#experts.get(target.name) ?? new Map<number, Place>();
    experts.set(target.expert, place);
    this.#experts.set(target.name, experts);
    this.tensors.set(target.name, this.#stackInfo(target.name, experts));
  }

  async read(name: string): Promise<Uint8Array> {
    const experts = this.#experts.get(name);
    if (!experts) return this.#readWhole(name);
    const info = this.tensors.get(name)!;
    const out = new Uint8Array(info.byteLength);
    const [columns, rows, count] = info.shape as [number, number, number];
    const bytes = out.length / count;
    if (experts.size < count) out.set(await this.#wholeAsFloats(name));
    for (const [index, { source, name: part, info: stored }] of experts) {
      const read = await source.read(part);
      out.set(stored.format === info.format ? read : floatBytes(stored, read, columns * rows), index * bytes);
    }
    return out;
  }

  async #readWhole(name: string): Promise<Uint8Array> {
    const place = this.#whole.get(name);
    if (!place) return this.base.read(name);
    const stored = await place.source.read(place.name);
    if (!place.fromZero) return stored;
    const values = floatsOf(place.info, stored, elements(place.info));
    return new Uint8Array(values.map((value) => value + 1).buffer);
  }

  async #wholeAsFloats(name: string): Promise<Uint8Array> {
    const info = this.#whole.get(name)?.info ?? this.base.tensors.get(name)!;
    return floatBytes(info, await this.#readWhole(name), elements(info));
  }

  /** Experts of one format keep it when all are there; else they are floats. */
  #stackInfo(name: string, experts: ReadonlyMap<number, Place>): TensorInfo {
    const below = this.#whole.get(name)?.info ?? this.base.tensors.get(name);
    const { info: first } = experts.values().next().value!;
    const count = below?.shape[2] ?? Math.max(...experts.keys()) + 1;
    const isUniform = [...experts.values()].every(({ info }) => info.format === first.format);
    const shape = [...first.shape, count];
    const format = isUniform && experts.size === count ? first.format : F32;
    const weights = shape.reduce((product, size) => product * size, 1);
    return { name, shape, format, byteLength: (weights / format.weights) * format.bytes };
  }

  /** The name of a stack that lacks an expert which the base doesn't have either, or null. */
  firstIncomplete(): string | null {
    for (const [name, experts] of this.#experts) {
      const isBelow = this.#whole.has(name) || this.base.tensors.has(name);
      if (!isBelow && experts.size < this.tensors.get(name)!.shape[2]!) return name;
    }
    return null;
  }
}

function elements({ shape }: TensorInfo): number {
  return shape.reduce((product, size) => product * size, 1);
}

function asFloats(info: TensorInfo): TensorInfo {
  return { ...info, format: F32, byteLength: elements(info) * F32.bytes };
}

function floatsOf({ format }: TensorInfo, stored: Uint8Array, count: number): Float32Array {
  const values = new Float32Array(count);
  format.dequantize(stored, values);
  return values;
}

function floatBytes(info: TensorInfo, stored: Uint8Array, count: number): Uint8Array {
  return new Uint8Array(floatsOf(info, stored, count).buffer);
}
