import { GRAPH, type ModelConfig } from '../model/index.js';
import type { InPlaceView } from '../runtime/tensor-view.js';
import type { ExpertRecord } from './expert-record.js';

/**
 * The keys and values of every slot: for each layer two arrays `[slots, kvHeads, capacity, headDim]`. Allocated
 * zeroed, so the system commits memory only as positions are written: capacity costs address space.
 */
export class KvBuffers {
  readonly #keys: Float32Array[];
  readonly #values: Float32Array[];
  readonly #slotSize: number;

  constructor(
    private readonly config: Pick<ModelConfig, 'layers' | 'kvHeads' | 'headDim'>,
    readonly slots: number,
    /** Positions a slot can hold. */
    readonly capacity: number,
    /** Copied along, when experts are recorded. */
    private readonly experts: ExpertRecord | null = null,
  ) {
    this.#slotSize = config.kvHeads * capacity * config.headDim;
    const layers = Array.from({ length: config.layers });
    this.#keys = layers.map(() => new Float32Array(slots * this.#slotSize));
    this.#values = layers.map(() => new Float32Array(slots * this.#slotSize));
  }

  /** Views on `count` slots from `first`, as the graph's in-place inputs and outputs. */
  views(first: number, count: number): InPlaceView[] {
    const dims = [count, this.config.kvHeads, this.capacity, this.config.headDim];
    const part = (whole: Float32Array): Float32Array =>
      whole.subarray(first * this.#slotSize, (first + count) * this.#slotSize);
    return this.#keys.flatMap((keys, layer) => [
      { input: GRAPH.pastKey(layer), output: GRAPH.presentKey(layer), data: part(keys), dims },
      {
        input: GRAPH.pastValue(layer),
        output: GRAPH.presentValue(layer),
        data: part(this.#values[layer]!),
        dims,
      },
    ]);
  }

  /** Copy the first `length` positions of one slot over those of another. */
  copy(from: number, to: number, length: number): void {
    this.experts?.copy(from, to, length);
    const { kvHeads, headDim } = this.config;
    for (const buffer of [...this.#keys, ...this.#values]) {
      for (let head = 0; head < kvHeads; head++) {
        const offset = head * this.capacity * headDim;
        const source = from * this.#slotSize + offset;
        buffer.copyWithin(to * this.#slotSize + offset, source, source + length * headDim);
      }
    }
  }
}
