/** The k-th largest value (k from 1), by quickselect on `scratch`, which must be as long and is overwritten. */
export function kthLargest(values: Float32Array, k: number, scratch: Float32Array): number {
  scratch.set(values);
  let low = 0;
  let high = values.length - 1;
  const target = k - 1;
  while (low < high) {
    const pivot = scratch[(low + high) >> 1]!;
    let i = low;
    let j = high;
    while (i <= j) {
      while (scratch[i]! > pivot) i++;
      while (scratch[j]! < pivot) j--;
      if (i > j) break;
      const swapped = scratch[i]!;
      scratch[i++] = scratch[j]!;
      scratch[j--] = swapped;
    }
    if (target <= j) high = j;
    else if (target >= i) low = i;
    else break;
  }
  return scratch[target]!;
}

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

/** Indices of the values that are at least `threshold`, largest value first, equal values by index. */
export function indicesAtLeast(values: Float32Array, threshold: number): number[] {
  const indices: number[] = [];
  for (let i = 0; i < values.length; i++) if (values[i]! >= threshold) indices.push(i);
  return indices.sort((a, b) => values[b]! - values[a]! || a - b);
}

/** Indices of the k largest values, largest first, equal values by index. */
export function topIndices(values: Float32Array, k: number, scratch: Float32Array): number[] {
  if (k === 0) return [];
  if (k >= values.length) return indicesAtLeast(values, Number.NEGATIVE_INFINITY);
  return indicesAtLeast(values, kthLargest(values, k, scratch)).slice(0, k);
}
