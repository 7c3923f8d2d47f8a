import type { ModelConfig } from '../model/index.js';

/** Which experts positions were sent to: row-major [positions, layers, experts a position], best first. */
export interface RoutedExperts {
  values: Uint8Array | Uint16Array;
  shape: readonly [positions: number, layers: number, used: number];
}

/** Most experts that a byte can name. */
const BYTE_RANGE = 256;

/**
 * The experts of every position that the slots hold, kept beside keys and values: what the prefix cache gives again
 * was sent somewhere, too.
 */
export class ExpertRecord {
  readonly #values: Uint8Array | Uint16Array;
  /** Numbers a position. */
  readonly #width: number;

  constructor(
    private readonly config: { layers: number; experts: NonNullable<ModelConfig['experts']> },
    slots: number,
    /** Positions a slot can hold. */
    private readonly capacity: number,
  ) {
    const { layers, experts } = config;
    this.#width = layers * experts.used;
    const size = slots * capacity * this.#width;
    this.#values = experts.count <= BYTE_RANGE ? new Uint8Array(size) : new Uint16Array(size);
  }

  /** Keep the ids of `count` positions of a slot, which begin at row `row` of what the graph gave. */
  write(slot: number, position: number, given: Int32Array, row: number, count: number): void {
    const width = this.#width;
    this.#values.set(given.subarray(row * width, (row + count) * width), this.#at(slot, position));
  }

  /** Copy the first `length` positions of one slot over those of another. */
  copy(from: number, to: number, length: number): void {
    const source = this.#at(from, 0);
    this.#values.copyWithin(this.#at(to, 0), source, source + length * this.#width);
  }

  /** A copy of the positions `[from, to)` of a slot. */
  read(slot: number, from: number, to: number): RoutedExperts {
    const { layers, experts } = this.config;
    const values = this.#values.slice(this.#at(slot, from), this.#at(slot, to));
    return { values, shape: [to - from, layers, experts.used] };
  }

  #at(slot: number, position: number): number {
    return (slot * this.capacity + position) * this.#width;
  }
}
