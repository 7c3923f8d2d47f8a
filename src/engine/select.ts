/** Index of the largest value; the lowest index when several are equal. NaN is never the largest. */
export function argmax(values: Float32Array): number {
  let best = 0;
  let most = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < values.length; i++) {
    if (values[i]! > most) {
      most = values[i]!;
      best = i;
    }
  }
  return best;
}

/** From here on sorting everything is faster than keeping a short list in order. */
const SORT_FROM = 256;

/** Indices of the `count` largest values, largest first, equal values by index. NaN is left out. */
export function topIndices(values: Float32Array, count: number): Int32Array {
  if (count <= 0) return new Int32Array(0);
  return count < SORT_FROM ? shortlist(values, count) : sortedIndices(values).slice(0, count);
}

/** One pass with an ordered list of the best so far. */
function shortlist(values: Float32Array, count: number): Int32Array {
  const indices = new Int32Array(count);
  let length = 0;
  let least = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < values.length; i++) {
    const value = values[i]!;
    if (!(value > least || (length < count && !Number.isNaN(value)))) continue;
    let at = length < count ? length++ : count - 1;
    for (; at > 0 && values[indices[at - 1]!]! < value; at--) indices[at] = indices[at - 1]!;
    indices[at] = i;
    if (length === count) least = values[indices[count - 1]!]!;
  }
  return indices.subarray(0, length);
}

/** Sort keys hold 32 bits that order as the value does, inverted, and an index below this. */
const INDEX_SPAN = 2 ** 21;

function sortedIndices(values: Float32Array): Int32Array {
  const bits = new Int32Array(values.buffer, values.byteOffset, values.length);
  const keys = new Float64Array(values.length);
  let length = 0;
  for (let i = 0; i < values.length; i++) {
    if (Number.isNaN(values[i]!)) continue;
    const zeroed = values[i] === 0 ? 0 : bits[i]!;
    const descending = zeroed < 0 ? zeroed >>> 0 : 0x7fffffff - zeroed;
    keys[length++] = descending * INDEX_SPAN + i;
  }
  return Int32Array.from(keys.subarray(0, length).sort(), (key) => key % INDEX_SPAN);
}
