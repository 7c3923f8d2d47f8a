import { exponentials } from './exponentials.js';
import type { SamplingParams } from './index.js';
import { isAfter, type Place, Ranking } from './ranking.js';
import { argmax } from './select.js';

/** What narrows a distribution to its likeliest tokens. */
export type Filters = Pick<SamplingParams, 'topK' | 'topP' | 'minP'>;

export const NO_FILTERS: Filters = { topK: 0, topP: 1, minP: 0 };

/**
 * The distribution of one position over the whole vocabulary, after processors, temperature and filters. The slow
 * but general way: the sampler goes it when the head of the ranking can't tell.
 */
export class Distribution {
  /** [vocab], for the caller to fill and process before `weigh`. */
  readonly logits: Float32Array;
  readonly #weights: Float32Array;
  readonly #ranking: Ranking;
  /** Scratch for `possible`, made when first asked. */
  #ids: Int32Array | null = null;
  #inverseTemperature = 1;
  #most = 0;
  #total = 0;
  /** The last token that the filters left; null = they left every one. */
  #last: Place | null = null;

  /** `vocabSize` is at most 2^21. */
  constructor(readonly vocabSize: number) {
    this.logits = new Float32Array(vocabSize);
    this.#weights = new Float32Array(vocabSize);
    this.#ranking = new Ranking(vocabSize);
  }

  /** Take the distribution of `logits` at a temperature, filtered. */
  weigh(inverseTemperature: number, filters: Filters): void {
    this.#inverseTemperature = inverseTemperature;
    this.#most = this.logits[argmax(this.logits)]!;
    const total = exponentials(this.logits, this.#most, inverseTemperature, this.#weights);
    this.#rank(this.#weights, total, filters);
  }

  /** Take a distribution whose probabilities are known, filtered. */
  take(probabilities: Float32Array, filters: Filters): void {
    this.#rank(probabilities, 1, filters);
  }

  /**
   * The token at which the cumulative probability, likeliest first, reaches `uniform`, in (0, 1]. When no token can
   * be drawn (all are ruled out or NaN): the best logit, or 0.
   */
  draw(uniform: number): number {
    if (!(this.#total > 0)) return argmax(this.logits);
    const last = this.#last;
    const place = this.#ranking.reach(uniform * (last ? last.mass : this.#total));
    return last && isAfter(place.id, place.weight, last) ? last.id : place.id;
  }

  /** Ids that the processors and filters left, in ascending order; after `weigh`. */
  possible(): Int32Array {
    this.#ids ??= new Int32Array(this.vocabSize);
    const ids = this.#ids;
    let count = 0;
    for (let id = 0; id < ids.length; id++) {
      if (Number.isFinite(this.logits[id]!) && this.#isKept(id)) ids[count++] = id;
    }
    return ids.slice(0, count);
  }

  /**
   * Logits after temperature, -Infinity where filtered; or their log-softmax. Overwrites the logits;
   * after `weigh`.
   */
  processed(normalized: boolean): Float32Array {
    const { logits } = this;
    const scale = this.#inverseTemperature;
    const mass = this.#last ? this.#last.mass : this.#total;
    const shift = normalized ? this.#most * scale + Math.log(mass) : 0;
    for (let id = 0; id < logits.length; id++) {
      logits[id] = this.#isKept(id) ? logits[id]! * scale - shift : Number.NEGATIVE_INFINITY;
    }
    return logits;
  }

  #isKept(id: number): boolean {
    return !this.#last || !isAfter(id, this.#weights[id]!, this.#last);
  }

  #rank(weights: Float32Array, total: number, filters: Filters): void {
    this.#last = null;
    this.#total = total;
    if (!(total > 0)) return;
    this.#ranking.load(weights);
    this.#total = this.#ranking.total;
    this.#last = lastKept(this.#ranking, this.vocabSize, filters);
  }
}

/** min-p, then top-k (with ties), then top-p over what those left; at least one token is kept. */
function lastKept(ranking: Ranking, vocabSize: number, { topK, topP, minP }: Filters): Place | null {
  let last: Place | null = null;
  if (minP > 0) last = ranking.lastAtLeast(Math.fround(ranking.weightAt(1) * minP));
  if (topK > 0 && topK < vocabSize) {
    const weight = ranking.weightAt(topK);
    const place = weight > 0 ? ranking.lastAtLeast(weight) : null;
    if (place && (!last || isAfter(last.id, last.weight, place))) last = place;
  }
  if (topP < 1) last = ranking.reach(topP * (last ? last.mass : ranking.total));
  return last;
}
