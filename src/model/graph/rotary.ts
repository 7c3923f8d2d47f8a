/**
 * Rotary tables [positions, headDim / 2], row-major. Frequencies and angles are rounded to float32 as the
 * reference implementations do, so that far positions agree with them.
 */
export function rotaryTables(
  positions: number,
  headDim: number,
  base: number,
): { cosines: Float32Array; sines: Float32Array } {
  const half = headDim / 2;
  const cosines = new Float32Array(positions * half);
  const sines = new Float32Array(positions * half);
  const frequencies = Float32Array.from(
    { length: half },
    (_, i) => 1 / Math.fround(base ** ((2 * i) / headDim)),
  );
  for (let position = 0, at = 0; position < positions; position++) {
    for (let i = 0; i < half; i++, at++) {
      const angle = Math.fround(position * frequencies[i]!);
      cosines[at] = Math.cos(angle);
      sines[at] = Math.sin(angle);
    }
  }
  return { cosines, sines };
}
