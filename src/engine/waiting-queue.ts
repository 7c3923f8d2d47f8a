import type { Sequence } from './sequence.js';

export type SchedulingPolicy = 'fcfs' | 'priority';

type Order = (a: Sequence, b: Sequence) => number;

const byArrival: Order = (a, b) => a.arrival - b.arrival;
const byPriority: Order = (a, b) => a.request.priority - b.request.priority || byArrival(a, b);

/** Sequences without a slot, in the order they should get one. */
export class WaitingQueue {
  readonly #order: Order;
  readonly #sequences: Sequence[] = [];

  constructor(policy: SchedulingPolicy) {
    this.#order = policy === 'priority' ? byPriority : byArrival;
  }

  get size(): number {
    return this.#sequences.length;
  }

  /** The next in order, whether it may be admitted or not. */
  get first(): Sequence | undefined {
    return this.#sequences[0];
  }

  /** Insert in order; a preempted sequence keeps its arrival and so its place. */
  add(sequence: Sequence): void {
    let at = this.#sequences.length;
    while (at > 0 && this.#order(sequence, this.#sequences[at - 1]!) < 0) at--;
    this.#sequences.splice(at, 0, sequence);
  }

  /** Whether one may be admitted now. */
  has(admissible: (sequence: Sequence) => boolean): boolean {
    return this.#sequences.some(admissible);
  }

  /** Take the first sequence that may be admitted now, or undefined. */
  take(admissible: (sequence: Sequence) => boolean): Sequence | undefined {
    const at = this.#sequences.findIndex(admissible);
    return at < 0 ? undefined : this.#sequences.splice(at, 1)[0];
  }

  /** Remove one sequence; true when it was waiting. */
  remove(sequence: Sequence): boolean {
    const at = this.#sequences.indexOf(sequence);
    if (at >= 0) this.#sequences.splice(at, 1);
    return at >= 0;
  }
}
