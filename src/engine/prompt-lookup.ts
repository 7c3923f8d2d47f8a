const LONGEST_MATCH = 4;
/** A single token says too little of what follows it. */
const SHORTEST_MATCH = 2;

/**
 * Guess what follows the first `length` tokens from what they hold already: what came after the last earlier place
 * where the last few of them stand, the longest such match first, and over again where that reaches the end. `most`
 * ids, or null without a match.
 * (Prompt lookup decoding, Saxena 2023; vLLM's `ngram` method.)
 */
export function guessNext(tokens: Int32Array, length: number, most: number): Int32Array | null {
  if (most < 1) return null;
  for (let size = Math.min(LONGEST_MATCH, length - 1); size >= SHORTEST_MATCH; size--) {
    const end = endOfEarlierMatch(tokens, length, size);
    if (end !== null) return Int32Array.from({ length: most }, (_, i) => tokens[end + (i % (length - end))]!);
  }
  return null;
}

/** Where the last earlier occurrence of the last `size` tokens ends. */
function endOfEarlierMatch(tokens: Int32Array, length: number, size: number): number | null {
  for (let end = length - 1; end >= size; end--) {
    let same = 0;
    while (same < size && tokens[end - 1 - same] === tokens[length - 1 - same]) same++;
    if (same === size) return end;
  }
  return null;
}
