import type { RotaryScaling } from '../architectures/rotary-scaling.js';

export interface RotaryTable {
  positions: number;
  /** Dimensions of a head that are rotated. */
  dim: number;
  base: number;
  scaling?: RotaryScaling | undefined;
  /** Divisors of the frequencies. */
  factors?: Float32Array | undefined;
}

/**
 * Rotary tables [positions, dim / 2], row-major. Frequencies and angles are rounded to float32 as the
 * reference implementations do, so that far positions agree with them.
 */
export function rotaryTables(table: RotaryTable): { cosines: Float32Array; sines: Float32Array } {
  const half = table.dim / 2;
  const cosines = new Float32Array(table.positions * half);
  const sines = new Float32Array(table.positions * half);
  const frequencies = rotaryFrequencies(table);
  const { scaling } = table;
  const magnitude = scaling && 'magnitude' in scaling ? scaling.magnitude : 1;
  for (let position = 0, at = 0; position < table.positions; position++) {
    for (let i = 0; i < half; i++, at++) {
      const angle = Math.fround(position * frequencies[i]!);
      cosines[at] = Math.cos(angle) * magnitude;
      sines[at] = Math.sin(angle) * magnitude;
    }
  }
  return { cosines, sines };
}

/** Radians a position, for each pair of dimensions. */
function rotaryFrequencies({ dim, base, scaling, factors }: RotaryTable): Float32Array {
  const plain = Float32Array.from({ length: dim / 2 }, (_, i) => 1 / Math.fround(base ** ((2 * i) / dim)));
  if (factors) return plain.map((frequency, i) => frequency / factors[i]!);
  if (scaling?.kind === 'linear') return plain.map((frequency) => frequency / scaling.factor);
  if (scaling?.kind !== 'yarn') return plain;
  const kept = yarnKept(scaling, dim, base);
  return plain.map((frequency, i) => (frequency / scaling.factor) * (1 - kept(i)) + frequency * kept(i));
}

/** How much of frequency i stays as it is: 1 for those that turn often within the original context, 0 for slow ones. */
function yarnKept(
  { originalContext, betaFast, betaSlow }: Extract<RotaryScaling, { kind: 'yarn' }>,
  dim: number,
  base: number,
): (i: number) => number {
  const indexOf = (turns: number): number =>
    (dim * Math.log(originalContext / (turns * 2 * Math.PI))) / (2 * Math.log(base));
  const low = Math.max(Math.floor(indexOf(betaFast)), 0);
  const high = Math.min(Math.ceil(indexOf(betaSlow)), dim - 1);
  const width = high === low ? 0.001 : high - low;
  return (i) => 1 - Math.min(1, Math.max(0, (i - low) / width));
}
