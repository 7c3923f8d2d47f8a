/** Numbers that are rotated at a time, so that they stay in a core's cache. */
const CACHED = 1 << 15;

/**
 * A fixed orthogonal map of R^n that spreads any one direction evenly over all of them: signs, then a Hadamard matrix
 * over the largest power of two in n, and a Hartley matrix over what is left (n = 2^k · odd).
 */
export class Orthogonal {
  private readonly factors: Float32Array;
  private readonly power: number;
  private readonly odd: number;
  /** [odd, odd], row-major. */
  private readonly rest: Float64Array;
  /** Values of one vector's odd part. */
  private readonly old: Float64Array;

  constructor(readonly size: number) {
    this.power = size & -size;
    this.odd = size / this.power;
    this.factors = fixedSigns(size).map((sign) => sign / Math.sqrt(this.power));
    this.rest = hartley(this.odd);
    this.old = new Float64Array(this.odd);
  }

  /**
   * Rotate vectors in place: `values` holds groups of `size` vectors of `width` numbers, and a vector of R^n lies across
   * a group.
   */
  apply(values: Float32Array, width: number): void {
    const group = this.size * width;
    const chunk = group * Math.max(1, Math.floor(CACHED / group));
    for (let start = 0; start < values.length; start += chunk) {
      this.rotate(values.subarray(start, start + chunk), width);
    }
  }

  private rotate(values: Float32Array, width: number): void {
    const group = this.size * width;
    for (let start = 0; start < values.length; start += group) {
      this.sign(values.subarray(start, start + group), width);
    }
    hadamard(values, this.power, width);
    if (this.odd === 1) return;
    for (let start = 0; start < values.length; start += group) {
      this.mix(values.subarray(start, start + group), this.power * width);
    }
  }

  /** Signs, and the factor that makes the Hadamard matrix orthogonal. */
  private sign(group: Float32Array, width: number): void {
    for (let i = 0; i < this.size; i++) {
      const factor = this.factors[i]!;
      for (let j = i * width; j < (i + 1) * width; j++) group[j] = group[j]! * factor;
    }
  }

  /** Across the odd part: its vectors are blocks of `block` numbers. */
  private mix(group: Float32Array, block: number): void {
    const { odd, rest, old } = this;
    for (let i = 0; i < block; i++) {
      for (let from = 0; from < odd; from++) old[from] = group[from * block + i]!;
      for (let to = 0; to < odd; to++) {
        let sum = 0;
        for (let from = 0; from < odd; from++) sum += rest[to * odd + from]! * old[from]!;
        group[to * block + i] = sum;
      }
    }
  }
}

/** The unnormalised Hadamard transform over the `power` values, `width` apart, of each run of power · width. */
function hadamard(values: Float32Array, power: number, width: number): void {
  let half = width;
  if (Math.log2(power) % 2 === 1) {
    pairs(values, half);
    half *= 2;
  }
  for (; half < power * width; half *= 4) fours(values, half);
}

function pairs(values: Float32Array, half: number): void {
  for (let start = 0; start < values.length; start += 2 * half) {
    for (let i = start; i < start + half; i++) {
      const a = values[i]!;
      const b = values[i + half]!;
      values[i] = a + b;
      values[i + half] = a - b;
    }
  }
}

/** Two steps of `pairs` in one pass over memory. */
function fours(values: Float32Array, half: number): void {
  for (let start = 0; start < values.length; start += 4 * half) {
    for (let i = start; i < start + half; i++) {
      const a = values[i]!;
      const b = values[i + half]!;
      const c = values[i + 2 * half]!;
      const d = values[i + 3 * half]!;
      values[i] = a + b + (c + d);
      values[i + half] = a - b + (c - d);
      values[i + 2 * half] = a + b - (c + d);
      values[i + 3 * half] = a - b - (c - d);
    }
  }
}

/** The discrete Hartley transform: orthogonal, and no entry is larger than √(2/n). */
function hartley(n: number): Float64Array {
  return Float64Array.from({ length: n * n }, (_, at) => {
    const angle = (2 * Math.PI * Math.floor(at / n) * (at % n)) / n;
    return (Math.cos(angle) + Math.sin(angle)) / Math.sqrt(n);
  });
}

/** Signs that look random and are always the same (bits of a Weyl sequence, mixed). */
function fixedSigns(count: number): Float32Array {
  return Float32Array.from({ length: count }, (_, i) => {
    const bits = Math.imul(i + 1, 0x9e3779b1);
    return Math.imul(bits ^ (bits >>> 15), 0x85ebca6b) < 0 ? -1 : 1;
  });
}
