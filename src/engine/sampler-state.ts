import type { SamplingParams } from './index.js';
import { randomSeed, streamKey } from './random.js';

/** Temperatures below this mean greedy. */
const GREEDY_BELOW = 1e-5;
/** Small temperatures are raised to this, so that logits / temperature stays finite. */
const MIN_TEMPERATURE = 0.01;

/** What sampling remembers of one sequence. */
export class SamplerState {
  readonly output: number[] = [];
  readonly greedy: boolean;
  readonly temperature: number;
  /** Of this sequence's random numbers. */
  readonly key: bigint;
  /** Ids that end the sequence or may not come before `minTokens`: every EOS and stop id. */
  readonly endIds: ReadonlySet<number>;
  #promptIds: ReadonlySet<number> | null = null;
  #outputCounts: Map<number, number> | null = null;

  readonly params: SamplingParams;

  constructor(
    params: SamplingParams,
    readonly prompt: Int32Array,
    /** Index of the sequence within its request: each has random numbers of its own. */
    readonly index: number,
    /** The first is the primary EOS. */
    readonly eosIds: readonly number[],
  ) {
    this.params = params.traceDecodeTokenIds ? replaying(params, params.traceDecodeTokenIds) : params;
    this.greedy = params.temperature < GREEDY_BELOW;
    this.temperature = this.greedy ? 1 : Math.max(params.temperature, MIN_TEMPERATURE);
    this.key = streamKey(params.seed ?? randomSeed(), index);
    this.endIds = new Set([...eosIds, ...this.params.stopTokenIds]);
  }

  /** 1 when greedy. */
  get inverseTemperature(): number {
    return 1 / this.temperature;
  }

  /** Distinct ids of the prompt. */
  get promptIds(): ReadonlySet<number> {
    this.#promptIds ??= new Set(this.prompt);
    return this.#promptIds;
  }

  /** How often each id was output. */
  get outputCounts(): ReadonlyMap<number, number> {
    this.#outputCounts ??= countIds(this.output);
    return this.#outputCounts;
  }

  /** Accept a sampled token. */
  commit(id: number): void {
    this.output.push(id);
    this.#outputCounts?.set(id, (this.#outputCounts.get(id) ?? 0) + 1);
  }
}

/** A forced output ends with its trace, and not before because of an id in it. */
function replaying(params: SamplingParams, trace: readonly number[]): SamplingParams {
  const maxTokens = Math.min(params.maxTokens, trace.length);
  return { ...params, maxTokens, minTokens: 0, ignoreEos: true, stopTokenIds: [] };
}

function countIds(ids: readonly number[]): Map<number, number> {
  const counts = new Map<number, number>();
  for (const id of ids) counts.set(id, (counts.get(id) ?? 0) + 1);
  return counts;
}
