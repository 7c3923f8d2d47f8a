import { StartupError } from '../../errors.js';
import { GgufFile } from '../gguf/gguf-file.js';
import type { TensorInfo, TensorSource } from '../weights.js';
import { type OpenTensors, openTensors } from './checkpoint.js';
import { ggufName, isComputed } from './tensor-names.js';

interface Place {
  source: TensorSource;
  name: string;
}

/**
 * A model's tensors under their GGUF names, with newer ones laid over them: of several checkpoints the last that has
 * a tensor gives it. Every tensor of a checkpoint must be one of the model's, of the same shape.
 */
export class Overlay implements OpenTensors {
  readonly tensors: Map<string, TensorInfo>;
  readonly #places = new Map<string, Place>();
  readonly #open: OpenTensors[] = [];

  constructor(private readonly base: TensorSource) {
    this.tensors = new Map(base.tensors);
  }

  get path(): string {
    return this.base.path;
  }

  /** Lay a checkpoint file over what is there. Throws a StartupError that names what does not fit; then nothing is laid. */
  async add(path: string): Promise<void> {
    const source = await openTensors(path);
    this.#open.push(source);
    const own = source instanceof GgufFile;
    const found = new Map<string, TensorInfo>();
    for (const [name, info] of source.tensors) {
      const target = own ? name : ggufName(name);
      if (isComputed(name) || this.#isTiedHead(target)) continue;
      const known = target === null ? undefined : this.base.tensors.get(target);
      if (!known) throw new StartupError(`${path} has tensor ${name}, which this model does not have.`);
      requireShape(path, name, info, known);
      found.set(target!, { ...info, rotaryRows: own ? undefined : 'halves' });
      this.#places.set(target!, { source, name });
    }
    for (const [target, info] of found) this.tensors.set(target, info);
  }

  read(name: string): Promise<Uint8Array> {
    const place = this.#places.get(name);
    return place ? place.source.read(place.name) : this.base.read(name);
  }

  async close(): Promise<void> {
    for (const source of this.#open) await source.close();
  }

  /** Checkpoints of models whose head is the embedding may bring it twice. */
  #isTiedHead(target: string | null): boolean {
    return target === 'output.weight' && !this.base.tensors.has(target);
  }
}

function requireShape(path: string, name: string, { shape }: TensorInfo, known: TensorInfo): void {
  const shown = (info: readonly number[]): string => `[${info.toReversed().join(', ')}]`;
  if (shape.length === known.shape.length && shape.every((size, axis) => size === known.shape[axis])) return;
  throw new StartupError(
    `${path}: tensor ${name} has shape ${shown(shape)}; this model's has ${shown(known.shape)}.`,
  );
}
