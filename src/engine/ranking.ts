/** Floats in [0, 2) order as their bits do; 32 buckets an octave. */
const BUCKET_SHIFT = 18;
const BUCKETS = 0x40000000 >>> BUCKET_SHIFT;
/** Sort keys hold a weight's bits, inverted, and an id below this. */
const ID_SPAN = 2 ** 21;
const MOST_BITS = 0x7fffffff;

/** A place in the ranking: an id, its weight, and the weight of all ids from the best to this one. */
export interface Place {
  id: number;
  weight: number;
  mass: number;
}

/**
 * Orders a vocabulary by weight, heaviest first and equal weights by id, without sorting it: a histogram finds
 * the bucket that a question falls into, and only that bucket is sorted.
 */
export class Ranking {
  readonly #counts = new Int32Array(BUCKETS);
  readonly #masses = new Float64Array(BUCKETS);
  readonly #keys: Float64Array;
  #weights: Float32Array = new Float32Array(0);
  #bits: Int32Array = new Int32Array(0);
  #top = 0;
  /** The bucket whose keys are sorted, and the weight of all buckets above. */
  #opened = -1;
  #above = 0;
  #members = 0;

  /** `vocabSize` is at most 2^21. */
  constructor(vocabSize: number) {
    this.#keys = new Float64Array(vocabSize);
  }

  /** Rank these weights, each in [0, 2) and not all 0; they must stay as they are while the ranking is used. */
  load(weights: Float32Array): void {
    this.#weights = weights;
    this.#bits = new Int32Array(weights.buffer, weights.byteOffset, weights.length);
    this.#counts.fill(0);
    this.#masses.fill(0);
    fillHistogram(this.#bits, weights, this.#counts, this.#masses);
    this.#opened = -1;
    this.#top = this.#counts.findLastIndex((count) => count > 0);
  }

  /** Weight of the whole vocabulary. */
  get total(): number {
    let total = 0;
    for (let bucket = this.#top; bucket > 0; bucket--) total += this.#masses[bucket]!;
    return total;
  }

  /** The k-th largest weight, k from 1; 0 when it is too small to count. */
  weightAt(k: number): number {
    let rank = 0;
    for (let bucket = this.#top; bucket > 0; bucket--) {
      const count = this.#counts[bucket]!;
      if (rank + count >= k) {
        this.#open(bucket);
        return this.#weights[this.#member(k - rank - 1)]!;
      }
      rank += count;
    }
    return 0;
  }

  /** The last place that weighs at least `weight`, which is positive and not above the heaviest. */
  lastAtLeast(weight: number): Place {
    this.#open(bucketOf(weight));
    if (this.#members === 0 || this.#weights[this.#member(0)]! < weight) this.#open(this.#filledAbove());
    const place = this.#start();
    for (let i = 0; i < this.#members && this.#weights[this.#member(i)]! >= weight; i++) this.#step(place, i);
    return place;
  }

  /** The first place at which the weight of all ids so far reaches `mass`, in (0, total]; else the last place. */
  reach(mass: number): Place {
    let bucket = this.#top;
    let sum = this.#masses[bucket]!;
    for (let next = bucket - 1; sum < mass && next > 0; next--) {
      if (this.#counts[next] === 0) continue;
      bucket = next;
      sum += this.#masses[next]!;
    }
    this.#open(bucket);
    const place = this.#start();
    for (let i = 0; i < this.#members && (i === 0 || place.mass < mass); i++) this.#step(place, i);
    return place;
  }

  /** Before the first member of the open bucket. */
  #start(): Place {
    return { id: -1, weight: 0, mass: this.#above };
  }

  #step(place: Place, member: number): void {
    place.id = this.#member(member);
    place.weight = this.#weights[place.id]!;
    place.mass += place.weight;
  }

  #filledAbove(): number {
    let bucket = this.#opened + 1;
    while (bucket < this.#top && this.#counts[bucket] === 0) bucket++;
    return bucket;
  }

  #member(i: number): number {
    return this.#keys[i]! % ID_SPAN;
  }

  #open(bucket: number): void {
    if (bucket === this.#opened) return;
    this.#opened = bucket;
    this.#above = 0;
    for (let higher = this.#top; higher > bucket; higher--) this.#above += this.#masses[higher]!;
    this.#members = gatherKeys(this.#bits, bucket, this.#keys);
    this.#keys.subarray(0, this.#members).sort();
  }
}

const float = new Float32Array(1);
const floatBits = new Int32Array(float.buffer);

/** Bucket 0 holds what is too small to count. */
function bucketOf(weight: number): number {
  float[0] = weight;
  return Math.max(floatBits[0]! >>> BUCKET_SHIFT, 1);
}

/** Whether an id of this weight comes after `last`. */
export function isAfter(id: number, weight: number, last: Place): boolean {
  return weight < last.weight || (weight === last.weight && id > last.id);
}

function fillHistogram(
  bits: Int32Array,
  weights: Float32Array,
  counts: Int32Array,
  masses: Float64Array,
): void {
  for (let id = 0; id < bits.length; id++) {
    const bucket = bits[id]! >>> BUCKET_SHIFT;
    counts[bucket]!++;
    masses[bucket]! += weights[id]!;
  }
}

function gatherKeys(bits: Int32Array, bucket: number, keys: Float64Array): number {
  let count = 0;
  for (let id = 0; id < bits.length; id++) {
    if (bits[id]! >>> BUCKET_SHIFT === bucket) keys[count++] = (MOST_BITS - bits[id]!) * ID_SPAN + id;
  }
  return count;
}
