import { Distribution, type Filters, NO_FILTERS } from './distribution.js';
import { countToMass, hasFilters, sumOf, survivors } from './head.js';
import type { PositionLogprobs, SamplingParams } from './index.js';
import { followGrammar } from './logits/grammar.js';
import { changesLogits, processLogits } from './logits/process.js';
import { describeListed, describeTop } from './logprobs.js';
import { uniform } from './random.js';
import { SamplerState } from './sampler-state.js';
import type { ScoredRow } from './scored-row.js';
import { argmax } from './select.js';

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
 * 2. grammar  3. allowed ids  4. bad words  5. min tokens  6. logit bias  7. penalties (repetition, frequency,
 *    presence)
 * 8. greedy: the best, the lowest id of equals; or else
 * 9. temperature  10. min-p  11. top-k  12. top-p  13. a random draw: the token at which the cumulative
 *    probability, likeliest first, reaches a random number (beyond the graph's head: by id)
 * 14. the logprobs asked for are described.
 *
 * Most rows need only the head of the ranking that the graph brings. A row with processors, or whose filters
 * reach past the head, goes through the whole vocabulary. Logits that are NaN are never sampled; when nothing
 * can be, id 0 is.
 */
export class Sampler {
  readonly #distribution: Distribution;
  readonly #options: SamplerOptions;
  readonly #isProcessed: boolean;
  readonly #isLogits: boolean;

  /** `vocabSize` is at most 2^21. */
  constructor(vocabSize: number, options: SamplerOptions) {
    this.#distribution = new Distribution(vocabSize);
    this.#options = options;
    this.#isProcessed = options.logprobsMode.startsWith('processed');
    this.#isLogits = options.logprobsMode.endsWith('logits');
  }

  createState(
    params: SamplingParams,
    prompt: Int32Array,
    index: number,
    eosIds: readonly number[],
  ): SamplerState {
    return new SamplerState(params, prompt, index, eosIds);
  }

  /**
   * Choose the next token of a sequence; `commit` it to its state afterwards. `grammar` is the bitmask of ids that
   * a grammar allows: bit `id % 32` of word `id / 32`.
   */
  sample(row: ScoredRow, state: SamplerState, grammar: Int32Array | null = null): Sampled {
    const forced = state.params.traceDecodeTokenIds?.[state.output.length];
    const fast = this.#needsVocabulary(row, state, grammar)
      ? null
      : (forced ?? this.#sampleFromHead(row, state));
    const sampled = fast ?? this.#sampleFromVocabulary(row, state, grammar);
    const id = forced ?? sampled;
    return {
      id,
      mask: this.#options.samplingMask ? this.#mask(sampled, state) : null,
      logprobs: this.#describe(row, state, id, grammar),
    };
  }

  /** Scores of a prompt position: the token that follows it and the `count` best (-1 = all). */
  scorePosition(row: ScoredRow, token: number, count: number): PositionLogprobs {
    return describeTop({ scores: this.#rawScores(row), head: row.topIds }, token, widest(count));
  }

  /** Scores of listed ids at a prompt position; -Infinity for a negative (padding) id. */
  scoreIds(row: ScoredRow, ids: readonly number[]): Float32Array {
    const scores = this.#rawScores(row);
    return Float32Array.from(ids, (id) => (id < 0 ? Number.NEGATIVE_INFINITY : scores[id]!));
  }

  #needsVocabulary(row: ScoredRow, state: SamplerState, grammar: Int32Array | null): boolean {
    return (
      this.#options.samplingMask ||
      (this.#isProcessed && state.params.logprobs !== null) ||
      changesLogits(state, grammar) ||
      isUnranked(row)
    );
  }

  /** Sample by what the graph says of the best tokens; null when that is not enough. */
  #sampleFromHead(row: ScoredRow, state: SamplerState): number | null {
    const { topIds, probabilities } = row;
    if (state.greedy) return topIds[0]!;
    const head = Float64Array.from(topIds, (id) => probabilities[id]!);
    const kept = hasFilters(state.params) ? survivors(head, probabilities.length, state.params) : head.length;
    if (kept === null) return this.#sampleFromProbabilities(probabilities, state, state.params);
    const random = randomOf(state);
    const mass = sumOf(head, kept);
    if (hasFilters(state.params)) return topIds[countToMass(head, kept, random * mass) - 1]!;
    if (random <= mass) return topIds[countToMass(head, kept, random) - 1]!;
    return drawFromTail(row, random - mass);
  }

  #sampleFromProbabilities(probabilities: Float32Array, state: SamplerState, filters: Filters): number {
    this.#distribution.take(probabilities, filters);
    return this.#distribution.draw(randomOf(state));
  }

  #sampleFromVocabulary(row: ScoredRow, state: SamplerState, grammar: Int32Array | null): number {
    const distribution = this.#distribution;
    distribution.logits.set(row.logits);
    processLogits(distribution.logits, state, grammar);
    if (!state.greedy) {
      distribution.weigh(state.inverseTemperature, state.params);
      return distribution.draw(randomOf(state));
    }
    if (this.#isProcessed) distribution.weigh(1, NO_FILTERS);
    return argmax(distribution.logits);
  }

  #mask(sampled: number, { greedy }: SamplerState): Int32Array {
    return greedy ? Int32Array.of(sampled) : this.#distribution.possible();
  }

  #describe(
    row: ScoredRow,
    { params }: SamplerState,
    token: number,
    grammar: Int32Array | null,
  ): PositionLogprobs | null {
    if (params.logprobs === null) return null;
    const scores = this.#scores(row, grammar);
    if (params.logprobTokenIds) return describeListed(scores, token, params.logprobTokenIds);
    const head = scores === row.logits || scores === row.logprobs ? row.topIds : null;
    return describeTop({ scores, head }, token, widest(params.logprobs));
  }

  /** Even raw scores are of what the grammar leaves: the reference applies its mask before anything else. */
  #scores(row: ScoredRow, grammar: Int32Array | null): Float32Array {
    if (this.#isProcessed) return this.#distribution.processed(!this.#isLogits);
    if (!grammar) return this.#rawScores(row);
    this.#distribution.logits.set(row.logits);
    followGrammar(this.#distribution.logits, grammar);
    this.#distribution.weigh(1, NO_FILTERS);
    return this.#distribution.processed(!this.#isLogits);
  }

  #rawScores(row: ScoredRow): Float32Array {
    return this.#isLogits ? row.logits : row.logprobs;
  }
}

const widest = (count: number): number => (count < 0 ? Number.POSITIVE_INFINITY : count);

const randomOf = ({ key, output }: SamplerState): number => uniform(key, output.length);

/**
 * The id outside the head that a cumulative probability of `target` falls on, by id. Ranking the tail would cost
 * several times as much and change no probability.
 */
function drawFromTail({ topIds, probabilities }: ScoredRow, target: number): number {
  const lowest = probabilities[topIds[topIds.length - 1]!]!;
  const head = new Set(topIds);
  let sum = 0;
  let last = topIds[0]!;
  for (let id = 0; id < probabilities.length; id++) {
    const probability = probabilities[id]!;
    if (probability === 0 || (probability >= lowest && head.has(id))) continue;
    sum += probability;
    last = id;
    if (target < sum) return id;
  }
  return last;
}

/** NaN or infinite logits leave the graph's probabilities and ranking without meaning. */
const isUnranked = ({ topIds, probabilities }: ScoredRow): boolean => !(probabilities[topIds[0]!]! > 0);
