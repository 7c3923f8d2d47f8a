import { StartupError } from '../../errors.js';
import type { Architecture } from '../architectures/architecture.js';
import { GgufFile } from '../gguf/gguf-file.js';
import type { TensorInfo, TensorSource } from '../weights.js';
import { AssembledTensors } from './assembled-tensors.js';
import { type OpenTensors, openTensors } from './checkpoint.js';
import { isComputed, type Target, targetOf } from './tensor-names.js';

/**
 * A model's tensors under their GGUF names, with newer ones laid over them: of several checkpoints the last that has
 * a tensor gives it. Every tensor of a checkpoint must be one of the model's, of the same shape.
 */
export class Overlay implements OpenTensors {
  readonly #assembled: AssembledTensors;
  readonly #open: OpenTensors[] = [];

  constructor(
    private readonly base: TensorSource,
    private readonly architecture: Architecture,
  ) {
    this.#assembled = new AssembledTensors(base);
  }

  get path(): string {
    return this.base.path;
  }

  get tensors(): ReadonlyMap<string, TensorInfo> {
    return this.#assembled.tensors;
  }

  /** Lay a checkpoint file over what is there. Throws a StartupError that names what does not fit; then nothing is laid. */
  async add(path: string): Promise<void> {
    const source = await openTensors(path);
    this.#open.push(source);
    const own = source instanceof GgufFile;
    const found = new Map<string, Target>();
    for (const [name, info] of source.tensors) {
      const target = own ? { name } : targetOf(this.architecture, name);
      if (isComputed(name) || this.#isTiedHead(target)) continue;
      const known = target === null ? undefined : this.base.tensors.get(target.name);
      if (!known || !target || !hasExpert(known, target)) {
        throw new StartupError(`${path} has tensor ${name}, which this model does not have.`);
      }
      const { shape } = known;
      requireShape(path, name, info, target.expert === undefined ? shape : shape.slice(0, 2));
      found.set(name, target);
    }
    for (const [name, target] of found) {
      this.#assembled.put(target, source, name, own ? undefined : 'halves');
    }
  }

  read(name: string): Promise<Uint8Array> {
    return this.#assembled.read(name);
  }

  async close(): Promise<void> {
    for (const source of this.#open) await source.close();
  }

  /** Checkpoints of models whose head is the embedding may bring it twice. */
  #isTiedHead(target: Target | null): boolean {
    return target?.name === 'output.weight' && !this.base.tensors.has(target.name);
  }
}

function hasExpert({ shape }: TensorInfo, { expert }: Target): boolean {
  return expert === undefined || (shape.length === 3 && expert < shape[2]!);
}

function requireShape(path: string, name: string, { shape }: TensorInfo, known: readonly number[]): void {
  const shown = (info: readonly number[]): string => `[${info.toReversed().join(', ')}]`;
  if (shape.length === known.length && shape.every((size, axis) => size === known[axis])) return;
  throw new StartupError(
    `${path}: tensor ${name} has shape ${shown(shape)}; this model's has ${shown(known)}.`,
  );
}
