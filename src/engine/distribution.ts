import { countOfMass, hasFilters, indexAt, sumOf } from './head.js';
import type { SamplingParams } from './index.js';
import { argmax, indicesAtLeast, kthLargest } from './select.js';

/**
 * The distribution of one position over the whole vocabulary, after processors, temperature and filters. The slow
 * but general way: the sampler goes it when the head of the ranking can't tell.
 */
export class Distribution {
  readonly logits: Float32Array;
  /** In proportion to probabilities before filters; the largest is 1. */
  readonly weights: Float32Array;
  readonly #scratch: Float32Array;
  /** What the filters left, likeliest first; null = every id. */
  #kept: number[] | null = null;
  #total = 0;

  constructor(readonly vocabSize: number) {
    this.logits = new Float32Array(vocabSize);
    this.weights = new Float32Array(vocabSize);
    this.#scratch = new Float32Array(vocabSize);
  }

  /** Weigh every id by exp(logit · inverseTemperature), then filter. */
  prepare(inverseTemperature: number, params: SamplingParams): void {
    const { logits, weights } = this;
    const most = logits[argmax(logits)]!;
    let total = 0;
    for (let i = 0; i < logits.length; i++) {
      const weight = Math.exp((logits[i]! - most) * inverseTemperature);
      weights[i] = weight;
      total += weights[i]!;
    }
    this.#total = total;
    this.#kept = hasFilters(params) ? this.#filter(params) : null;
  }

  /** The id that `uniform` (0 … 1) of the kept mass falls on. */
  draw(uniform: number): number {
    if (!(this.#total > 0)) return argmax(this.logits);
    if (this.#kept === null) return this.#drawAny(uniform * this.#total);
    const weights = this.#kept.map((id) => this.weights[id]!);
    return this.#kept[indexAt(weights, weights.length, uniform * sumOf(weights, weights.length))]!;
  }

  /** Ids that may be drawn, by id. */
  possible(): Int32Array {
    const ids = this.#kept ?? Array.from(this.weights.keys()).filter((id) => this.weights[id]! > 0);
    return Int32Array.from(ids).sort();
  }

  /** Logits after temperature, -Infinity where filtered; or their log-softmax. Overwrites the logits. */
  processed(inverseTemperature: number, normalized: boolean): Float32Array {
    const { logits } = this;
    const kept = this.#kept === null ? null : new Set(this.#kept);
    for (let id = 0; id < logits.length; id++) {
      if (kept && !kept.has(id)) logits[id] = Number.NEGATIVE_INFINITY;
      else logits[id]! *= inverseTemperature;
    }
    return normalized ? logSoftmax(logits) : logits;
  }

  #drawAny(target: number): number {
    const { weights } = this;
    let sum = 0;
    let last = 0;
    for (let id = 0; id < weights.length; id++) {
      if (weights[id] === 0) continue;
      sum += weights[id]!;
      last = id;
      if (target < sum) return id;
    }
    return last;
  }

  #filter({ topK, topP, minP }: SamplingParams): number[] {
    const { weights, vocabSize } = this;
    const narrowed = minP > 0 || (topK > 0 && topK < vocabSize);
    // A token below this can't be among those that reach the mass: all like it together weigh less than the rest.
    let threshold = narrowed ? 0 : ((1 - topP) * this.#total) / vocabSize;
    if (topK > 0 && topK < vocabSize) threshold = kthLargest(weights, topK, this.#scratch);
    if (minP > 0) threshold = Math.max(threshold, Math.fround(minP));
    const ids = indicesAtLeast(weights, threshold);
    if (topP >= 1) return ids;
    const head = { weights: ids.map((id) => weights[id]!) };
    const mass = topP * (narrowed ? sumOf(head.weights, ids.length) : this.#total);
    return ids.slice(0, Math.max(countOfMass(head, ids.length, mass), 1));
  }
}

/** In place; natural logarithm. */
export function logSoftmax(logits: Float32Array): Float32Array {
  const most = logits[argmax(logits)]!;
  let total = 0;
  for (let i = 0; i < logits.length; i++) total += Math.exp(logits[i]! - most);
  const shift = most + Math.log(total);
  for (let i = 0; i < logits.length; i++) logits[i]! -= shift;
  return logits;
}
