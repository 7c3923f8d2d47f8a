let halves: Float32Array | null = null;

/** The value of each of the 65,536 half-precision patterns. */
function halfTable(): Float32Array {
  if (halves) return halves;
  halves = new Float32Array(65536);
  for (let bits = 0; bits < 65536; bits++) halves[bits] = halfToNumber(bits);
  return halves;
}

function halfToNumber(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 31) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

/** Half-precision value at a byte offset. */
export function halfAt(bytes: Uint8Array, at: number): number {
  return halfTable()[bytes[at]! | (bytes[at + 1]! << 8)]!;
}
