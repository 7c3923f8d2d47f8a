/**
 * Counter-based random numbers: a draw depends only on (seed, stream, position), never on what was drawn before
 * or beside it. So a seeded request gives the same tokens whatever else runs, and a sequence can be taken up at
 * any position. Mixing is SplitMix64 (Steele, Lea, Flood 2014), applied once for each word.
 */

const WORD = (1n << 64n) - 1n;
const GOLDEN = 0x9e3779b97f4a7c15n;

/** The key of a sequence's numbers. Seeds from -2^63 to 2^64 - 1 differ; `stream` is a non-negative integer. */
export function streamKey(seed: bigint, stream: number): bigint {
  const sign = (seed >> 64n) & WORD;
  return mix(mix(mix(seed & WORD) ^ sign) ^ BigInt(stream));
}

/** A number in (0, 1] with 53 random bits. `position` is a non-negative integer. */
export function uniform(key: bigint, position: number): number {
  return (Number(mix(key ^ BigInt(position)) >> 11n) + 1) / 2 ** 53;
}

function mix(value: bigint): bigint {
  let word = (value + GOLDEN) & WORD;
  word = ((word ^ (word >> 30n)) * 0xbf58476d1ce4e5b9n) & WORD;
  word = ((word ^ (word >> 27n)) * 0x94d049bb133111ebn) & WORD;
  return word ^ (word >> 31n);
}

/** A seed for a request that brings none, from the system's random source. */
export function randomSeed(): bigint {
  return crypto.getRandomValues(new BigUint64Array(1))[0]!;
}
