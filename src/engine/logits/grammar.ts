/**
 * `structured_outputs`: ids that the grammar doesn't allow are ruled out. Bit `id % 32` of word `id / 32` is set
 * for an allowed id; ids past the bitmask's end are not allowed.
 */
export function followGrammar(logits: Float32Array, allowed: Int32Array): void {
  const length = Math.min(logits.length, allowed.length * 32);
  logits.fill(Number.NEGATIVE_INFINITY, length);
  for (let start = 0; start < length; start += 32) {
    const word = allowed[start >>> 5]!;
    const end = Math.min(start + 32, length);
    if (word === 0) logits.fill(Number.NEGATIVE_INFINITY, start, end);
    else if (word !== -1) ruleOutBits(logits, word, start, end);
  }
}

function ruleOutBits(logits: Float32Array, word: number, start: number, end: number): void {
  for (let id = start; id < end; id++) {
    if (((word >>> (id - start)) & 1) === 0) logits[id] = Number.NEGATIVE_INFINITY;
  }
}
