import type { Sequence } from './sequence.js';

/** What a slot's keys and values stand for. */
interface SlotContent {
  /** Token of each computed position; shared with the sequence while it runs. */
  tokens: Int32Array;
  length: number;
  /** Prefixes are reused only within one label of weights and one cache salt. */
  key: string;
}

interface Slot {
  owner: Sequence | null;
  content: SlotContent | null;
  /** Step at which the owner left, for least-recently-used eviction. */
  released: number;
}

/** Where an admitted sequence runs, and the positions it need not compute. */
export interface Admission {
  slot: number;
  /** Slot whose first `cached` positions are to be copied in, or null when they are there already. */
  copyFrom: number | null;
  cached: number;
}

/** At least two positions are always computed, so that a chunk is never one token alone (see scheduler.ts). */
const RECOMPUTED = 2;

/** A prefix being prefilled by another sequence is waited for when it is at least this much longer than what is cached. */
const WORTH_WAITING = 32;

/**
 * Slots are rows of the key/value buffers. A decode batch is a contiguous run of them, so admission prefers
 * slots in or beside the run in use. What a finished sequence left stays as a cached prefix until overwritten.
 */
export class Slots {
  readonly #slots: Slot[];
  readonly #prefixCaching: boolean;
  #clock = 0;

  constructor(count: number, prefixCaching: boolean) {
    this.#slots = Array.from({ length: count }, () => ({ owner: null, content: null, released: 0 }));
    this.#prefixCaching = prefixCaching;
  }

  get count(): number {
    return this.#slots.length;
  }

  ownerOf(slot: number): Sequence | null {
    return this.#slots[slot]!.owner;
  }

  get free(): number {
    return this.#slots.filter(({ owner }) => owner === null).length;
  }

  /** First position of a slot that may be overwritten without losing computed positions. */
  writablePosition(slot: number, capacity: number): number {
    const { owner, content } = this.#slots[slot]!;
    const used = owner ? owner.computed : (content?.length ?? 0);
    if (used < capacity) return used;
    if (content) content.length = capacity - 1;
    return capacity - 1;
  }

  /** Positions that hold computed keys and values of running sequences. */
  get positionsInUse(): number {
    return this.#slots.reduce((sum, { owner }) => sum + (owner?.computed ?? 0), 0);
  }

  /** True when a running sequence is computing a prefix that this one could share in a moment. */
  worthWaiting(sequence: Sequence, key: string): boolean {
    if (!this.#reuses(sequence)) return false;
    const cached = this.#longestPrefix(sequence, key).length;
    return this.#slots.some(({ owner, content }) => {
      if (!owner || content?.key !== key || owner.computed >= owner.promptLength) return false;
      const shared = commonPrefix(owner.tokens, owner.promptLength, sequence.tokens, sequence.length);
      return (
        Math.min(shared, sequence.length - RECOMPUTED) >= Math.max(cached, owner.computed) + WORTH_WAITING
      );
    });
  }

  /** Give a sequence a slot; null when none is free. `key` names weights and salt. */
  admit(sequence: Sequence, key: string): Admission | null {
    const slot = this.#choose();
    if (slot === null) return null;
    const donor = this.#reuses(sequence) ? this.#longestPrefix(sequence, key) : { slot: -1, length: 0 };
    const target = this.#takeOver(donor) ? donor.slot : slot;
    this.#slots[target] = {
      owner: sequence,
      content: { tokens: sequence.tokens, length: donor.length, key },
      released: 0,
    };
    sequence.slot = target;
    sequence.computed = donor.length;
    if (!sequence.announced) sequence.cachedTokens = donor.length;
    return {
      slot: target,
      copyFrom: donor.length > 0 && donor.slot !== target ? donor.slot : null,
      cached: donor.length,
    };
  }

  /** The sequence leaves; its computed positions stay for reuse. */
  release(sequence: Sequence): void {
    const slot = this.#slots[sequence.slot!]!;
    slot.owner = null;
    slot.released = ++this.#clock;
    if (slot.content) slot.content.length = sequence.computed;
    if (!this.#prefixCaching) slot.content = null;
    sequence.slot = null;
  }

  /** Move a running sequence; the caller copies its positions. */
  move(sequence: Sequence, to: number): void {
    const from = this.#slots[sequence.slot!]!;
    this.#slots[to] = { ...from };
    from.owner = null;
    from.content = null;
    sequence.slot = to;
  }

  /** Forget every cached prefix of sequences that ended. */
  clear(): void {
    for (const slot of this.#slots) if (!slot.owner) slot.content = null;
  }

  /** Lowest and highest slot of these sequences. */
  static span(sequences: readonly Sequence[]): [first: number, last: number] {
    const slots = sequences.map(({ slot }) => slot!);
    return [Math.min(...slots), Math.max(...slots)];
  }

  #reuses(sequence: Sequence): boolean {
    return this.#prefixCaching && sequence.readsPrefixCache;
  }

  #longestPrefix(sequence: Sequence, key: string): { slot: number; length: number } {
    let best = { slot: -1, length: 0 };
    this.#slots.forEach(({ owner, content }, slot) => {
      if (content?.key !== key) return;
      const valid = owner ? owner.computed : content.length;
      const shared = commonPrefix(content.tokens, valid, sequence.tokens, sequence.length - RECOMPUTED);
      if (shared > best.length) best = { slot, length: shared };
    });
    return best;
  }

  /** A finished sequence's slot is taken over in place when that keeps the run in use contiguous. */
  #takeOver(donor: { slot: number; length: number }): boolean {
    if (donor.length === 0 || this.#slots[donor.slot]!.owner) return false;
    return this.#beside().includes(donor.slot);
  }

  #choose(): number | null {
    const candidates = this.#beside();
    if (candidates.length === 0) return null;
    return candidates.reduce((oldest, slot) => (this.#age(slot) < this.#age(oldest) ? slot : oldest));
  }

  /** Slots never used come first, then the one left longest ago. */
  #age(slot: number): number {
    const { content, released } = this.#slots[slot]!;
    return content ? released : 0;
  }

  /** Free slots inside or next to the run in use; every slot when none is used. */
  #beside(): number[] {
    const used = this.#slots.flatMap(({ owner }, slot) => (owner ? [slot] : []));
    const first = used[0] ?? 0;
    const last = used.at(-1) ?? this.#slots.length - 1;
    const isFree = (slot: number): boolean => this.#slots[slot]?.owner === null;
    const inside = range(first, last).filter(isFree);
    return inside.length > 0 ? inside : [first - 1, last + 1].filter(isFree);
  }
}

function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, i) => first + i);
}

/** Number of leading tokens that agree. */
function commonPrefix(a: Int32Array, aLength: number, b: Int32Array, bLength: number): number {
  const most = Math.min(aLength, bLength);
  let length = 0;
  while (length < most && a[length] === b[length]) length++;
  return Math.max(length, 0);
}
