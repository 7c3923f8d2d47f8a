import { Distribution, logSoftmax } from './distribution.js';
import { hasFilters, indexAt, sumOf, survivors } from './head.js';
import type { PositionLogprobs, SamplingParams } from './index.js';
import { changesLogits, processLogits } from './logits/process.js';
import { describeListed, describeTop, type RankedScores } from './logprobs.js';
import { uniform } from './random.js';
import { SamplerState } from './sampler-state.js';
import type { ScoredRow } from './scored-row.js';
import { argmax, topIndices } from './select.js';

export { SamplerState } from './sampler-state.js';

/** What reported logprobs are: of the model's own distribution, or of the one that was sampled from. */
export type LogprobsMode = 'raw_logprobs' | 'raw_logits' | 'processed_logprobs' | 'processed_logits';

export interface SamplerOptions {
  logprobsMode: LogprobsMode;
  /** Report for each token the ids it could have been. */
  samplingMask: boolean;
}

export interface Sampled {
  id: number;
  logprobs: PositionLogprobs | null;
  /** Ids that could have been drawn, by id; null unless asked for. */
  mask: Int32Array | null;
}

/**
 * Samples one row, in the reference's order (vLLM v1 `Sampler`):
 *
 * 1. raw logprobs are taken
 * 2. allowed ids  3. bad words  4. min tokens  5. logit bias  6. penalties (repetition, frequency, presence)
 * 7. greedy: the best, the lowest id of equals; or else
 * 8. temperature  9. min-p  10. top-k  11. top-p  12. a random draw
 * 13. the logprobs asked for are described.
 *
 * Most rows need only the head of the ranking that the graph brings. A row with processors, or whose filters
 * reach past the head, goes through the whole vocabulary.
 */
export class Sampler {
  readonly #distribution: Distribution;
  readonly #scratch: Float32Array;
  readonly #options: SamplerOptions;

  constructor(vocabSize: number, options: SamplerOptions) {
    this.#distribution = new Distribution(vocabSize);
    this.#scratch = new Float32Array(vocabSize);
    this.#options = options;
  }

  createState(
    params: SamplingParams,
    prompt: Int32Array,
    index: number,
    eosIds: readonly number[],
  ): SamplerState {
    return new SamplerState(params, prompt, index, eosIds);
  }

  /** Choose the next token of a sequence; `commit` it to its state afterwards. */
  sample(row: ScoredRow, state: SamplerState): Sampled {
    const forced = state.params.traceDecodeTokenIds?.[state.output.length];
    const fast = this.#needsVocabulary(state) ? null : (forced ?? sampleFromHead(row, state));
    const id = fast ?? this.#sampleFromVocabulary(row, state);
    const chosen = forced ?? id;
    return {
      id: chosen,
      mask: this.#options.samplingMask ? this.#mask(chosen, state) : null,
      logprobs: this.#describe(row, state, chosen),
    };
  }

  /** Logprobs of a prompt position: the token that follows it and the `count` best (-1 = all). */
  scorePosition(row: ScoredRow, token: number, count: number): PositionLogprobs {
    const isLogits = this.#options.logprobsMode.endsWith('logits');
    return describeTop(this.#ranked(row, isLogits ? row.logits : row.logprobs), token, widest(count));
  }

  /** Logprobs of listed ids at a prompt position; -Infinity for a negative (padding) id. */
  scoreIds(row: ScoredRow, ids: readonly number[]): Float32Array {
    return Float32Array.from(ids, (id) => (id < 0 ? Number.NEGATIVE_INFINITY : row.logprobs[id]!));
  }

  #needsVocabulary(state: SamplerState): boolean {
    const { samplingMask, logprobsMode } = this.#options;
    const describesProcessed = logprobsMode.startsWith('processed') && state.params.logprobs !== null;
    return samplingMask || describesProcessed || changesLogits(state);
  }

  #sampleFromVocabulary(row: ScoredRow, state: SamplerState): number {
    const distribution = this.#distribution;
    distribution.logits.set(row.logits);
    processLogits(distribution.logits, state);
    if (state.greedy) return argmax(distribution.logits);
    distribution.prepare(state.inverseTemperature, state.params);
    return distribution.draw(draw(state));
  }

  #mask(chosen: number, { greedy }: SamplerState): Int32Array {
    return greedy ? Int32Array.of(chosen) : this.#distribution.possible();
  }

  #describe(row: ScoredRow, state: SamplerState, token: number): PositionLogprobs | null {
    const { logprobs, logprobTokenIds } = state.params;
    if (logprobs === null) return null;
    const ranked = this.#ranked(row, this.#scores(row, state));
    if (logprobTokenIds) return describeListed(ranked.scores, token, logprobTokenIds);
    return describeTop(ranked, token, widest(logprobs));
  }

  #scores(row: ScoredRow, state: SamplerState): Float32Array {
    switch (this.#options.logprobsMode) {
      case 'raw_logprobs':
        return row.logprobs;
      case 'raw_logits':
        return row.logits;
      case 'processed_logits':
        return this.#processed(state, false);
      case 'processed_logprobs':
        return this.#processed(state, true);
    }
  }

  #processed({ greedy, inverseTemperature }: SamplerState, normalized: boolean): Float32Array {
    const { logits } = this.#distribution;
    if (!greedy) return this.#distribution.processed(inverseTemperature, normalized);
    return normalized ? logSoftmax(logits) : logits;
  }

  #ranked(row: ScoredRow, scores: Float32Array): RankedScores {
    const isRaw = scores === row.logprobs || scores === row.logits;
    return {
      scores,
      top: (count) =>
        isRaw && count <= row.topIds.length
          ? row.topIds.subarray(0, count)
          : topIndices(scores, count, this.#scratch),
    };
  }
}

const widest = (count: number): number => (count < 0 ? Number.POSITIVE_INFINITY : count);

const draw = ({ seed, index, output }: SamplerState): number => uniform(seed, index, output.length);

/** Sample by what the graph says of the best tokens; null when that is not enough. */
function sampleFromHead(row: ScoredRow, state: SamplerState): number | null {
  const { topIds, probabilities } = row;
  if (state.greedy) return topIds[0]!;
  const weights = Float64Array.from(topIds, (id) => probabilities[id]!);
  if (!(weights[0]! > 0)) return topIds[0]!;
  const head = { ids: topIds, weights, length: topIds.length };
  if (!hasFilters(state.params)) return drawUnfiltered(row, weights, draw(state));
  const kept = survivors(head, 1, probabilities.length, state.params);
  if (kept === null) return null;
  return topIds[indexAt(weights, kept, draw(state) * sumOf(weights, kept))]!;
}

/** Draw from the whole distribution: the best tokens first, then the others by id. */
function drawUnfiltered(row: ScoredRow, weights: Float64Array, target: number): number {
  const { topIds, topLogits, logits, probabilities } = row;
  const headMass = sumOf(weights, weights.length);
  if (target < headMass) return topIds[indexAt(weights, weights.length, target)]!;
  const lowest = topLogits[topLogits.length - 1]!;
  const inHead = new Set(topIds);
  let sum = headMass;
  let last = topIds[0]!;
  for (let id = 0; id < probabilities.length; id++) {
    if (logits[id]! >= lowest && inHead.has(id)) continue;
    const probability = probabilities[id]!;
    if (probability === 0) continue;
    sum += probability;
    last = id;
    if (target < sum) return id;
  }
  return last;
}
