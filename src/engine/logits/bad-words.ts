import type { SamplerState } from '../sampler-state.js';

/** `bad_words`: an id is ruled out while the output ends in the rest of a bad word. */
export function ruleOutBadWords(logits: Float32Array, { params, output }: SamplerState): void {
  for (const word of params.badWords) {
    if (word.length > 0 && endsWith(output, word, word.length - 1)) {
      logits[word.at(-1)!] = Number.NEGATIVE_INFINITY;
    }
  }
}

/** Whether `output` ends in the first `count` ids of `word`. */
function endsWith(output: readonly number[], word: readonly number[], count: number): boolean {
  if (output.length < count) return false;
  for (let i = 0; i < count; i++) if (output[output.length - count + i] !== word[i]) return false;
  return true;
}
