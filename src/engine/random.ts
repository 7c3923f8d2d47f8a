/**
 * Counter-based random numbers: a draw depends only on (seed, stream, position), never on what was drawn before
 * or beside it. So a seeded request gives the same tokens whatever else runs, and a sequence can be taken up at
 * any position. Mixing is SplitMix64 (Steele, Lea, Flood 2014), applied once for each of the three words.
 */

const WORD = (1n << 64n) - 1n;
const GOLDEN = 0x9e3779b97f4a7c15n;

/** A number in [0, 1) with 53 random bits. `stream` and `position` are non-negative integers. */
export function uniform(seed: bigint, stream: number, position: number): number {
  const word = mix(mix(mix(seed & WORD) ^ BigInt(stream)) ^ BigInt(position));
  return Number(word >> 11n) / 2 ** 53;
}

function mix(value: bigint): bigint {
  let word = (value + GOLDEN) & WORD;
  word = ((word ^ (word >> 30n)) * 0xbf58476d1ce4e5b9n) & WORD;
  word = ((word ^ (word >> 27n)) * 0x94d049bb133111ebn) & WORD;
  return word ^ (word >> 31n);
}

/** A seed for a request that brings none. */
export function randomSeed(): bigint {
  return crypto.getRandomValues(new BigUint64Array(1))[0]!;
}
