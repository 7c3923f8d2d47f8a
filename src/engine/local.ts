import { unavailable } from '../errors.js';
import { positionBytes } from '../model/kv-bytes.js';
import type { GrammarVocabulary } from '../structured/index.js';
import type {
  Engine,
  EngineInfo,
  EngineRequest,
  EngineState,
  EngineStats,
  Generation,
  PauseMode,
} from './index.js';
import type { RankCall, RankOptions } from './protocol.js';
import { Rank } from './rank.js';
import { sumStats } from './stats.js';

export interface LocalEngineOptions {
  /** What each rank runs. */
  rank: RankOptions;
  /** Asked for at the first request with a structured output; null where there is no tokenizer. */
  vocabulary: (() => GrammarVocabulary) | null;
  /** Engine processes, ≥ 1. */
  ranks: number;
  /** Requests that may wait for a slot before new ones are refused. */
  maxQueue: number;
}

/** An engine over processes on this machine, one a data-parallel rank. They start at once: await `ready()`. */
export function createLocalEngine(options: LocalEngineOptions): Engine {
  return new LocalEngine(options);
}

class LocalEngine implements Engine {
  readonly info: EngineInfo;
  readonly #ranks: Rank[];
  #weightVersion = 'default';
  #paused: PauseMode | null = null;
  #closing = false;
  #nextGraph: string | null = null;

  constructor(private readonly options: LocalEngineOptions) {
    const { rank, ranks, vocabulary } = options;
    this.info = {
      vocabSize: rank.config.vocabSize,
      maxModelLen: rank.maxModelLen,
      maxNumSeqs: rank.maxNumSeqs,
      ranks,
      kvBytes: ranks * rank.maxNumSeqs * rank.maxModelLen * positionBytes(rank.config),
      dtype: rank.config.dtype,
    };
    this.#ranks = Array.from({ length: ranks }, () => new Rank(rank, vocabulary, () => this.#restoreCalls()));
  }

  /** Ready while any rank is: the others' requests fail over to it. */
  get state(): EngineState {
    const states = this.#ranks.map(({ state }) => state);
    if (states.includes('ready')) return 'ready';
    return states.includes('starting') ? 'starting' : 'dead';
  }

  async ready(): Promise<void> {
    await Promise.all(this.#ranks.map((rank) => rank.ready()));
  }

  generate(request: EngineRequest, signal: AbortSignal): Generation {
    this.#refuseWhenUnavailable();
    return this.#rankFor(request).generate(request, signal);
  }

  stats(): EngineStats {
    return sumStats(this.#ranks.map(({ stats }) => stats));
  }

  weightVersion(): string {
    return this.#weightVersion;
  }

  async setWeightVersion(version: string): Promise<void> {
    this.#weightVersion = version;
    await this.#callAll({ method: 'setWeightVersion', version });
  }

  /** All ranks or none: when one can't load them, the others drop them. */
  async loadWeights(graphPath: string): Promise<void> {
    const loaded = await Promise.allSettled(
      this.#ranks.map((rank) => rank.call({ method: 'loadWeights', graphPath })),
    );
    const failure = loaded.find((result) => result.status === 'rejected');
    if (failure) {
      await Promise.allSettled(this.#ranks.map((rank) => rank.call({ method: 'dropWeights' })));
      throw failure.reason;
    }
    this.#nextGraph = graphPath;
  }

  /** A rank that fails to swap, or is just starting, is started anew: with the new weights. */
  async swapWeights(version: string): Promise<void> {
    this.#weightVersion = version;
    if (this.#nextGraph !== null) this.options.rank.graphPath = this.#nextGraph;
    this.#nextGraph = null;
    await Promise.all(this.#ranks.map((rank) => rank.swapWeights(version)));
  }

  async pause(mode: PauseMode, clearCache: boolean): Promise<void> {
    this.#paused = mode;
    await this.#callAll({ method: 'pause', mode, clearCache });
  }

  async resume(): Promise<void> {
    this.#paused = null;
    await this.#callAll({ method: 'resume' });
  }

  isPaused(): boolean {
    return this.#paused !== null;
  }

  async resetPrefixCache(): Promise<void> {
    await this.#callAll({ method: 'resetPrefixCache' });
  }

  async close(graceMs: number): Promise<void> {
    this.#closing = true;
    const deadline = Date.now() + graceMs;
    while (this.#load() > 0 && Date.now() < deadline) await pause(20);
    for (const rank of this.#ranks) rank.abortAll();
    const giveUp = Date.now() + 1_000;
    while (this.#load() > 0 && Date.now() < giveUp) await pause(5);
    await Promise.all(this.#ranks.map((rank) => rank.close()));
  }

  #refuseWhenUnavailable(): void {
    if (this.#closing) throw unavailable('The server is shutting down.', null);
    if (this.#paused === 'abort' || this.#paused === 'wait') {
      throw unavailable('Generation is paused. It goes on after POST /resume.');
    }
    if (this.state === 'starting') throw unavailable('The model is still loading. Try again in a moment.');
    if (this.state === 'dead')
      throw unavailable('The engine could not be started. See the server log.', null);
    if (this.#load() >= this.options.maxQueue + this.options.rank.maxNumSeqs * this.#ranks.length) {
      throw unavailable('The queue is full. Try again in a moment.');
    }
  }

  #load(): number {
    return this.#ranks.reduce((sum, { load }) => sum + load, 0);
  }

  /** The rank asked for, or the least loaded. */
  #rankFor({ rank: wanted }: EngineRequest): Rank {
    const ready = this.#ranks.filter(
      (rank, i) => rank.state === 'ready' && (wanted === null || wanted === i),
    );
    if (ready.length === 0)
      throw unavailable('This data-parallel rank is restarting. Try again in a moment.');
    return ready.reduce((least, rank) => (rank.load < least.load ? rank : least));
  }

  #restoreCalls(): RankCall[] {
    const calls: RankCall[] = [{ method: 'setWeightVersion', version: this.#weightVersion }];
    if (this.#paused) calls.push({ method: 'pause', mode: this.#paused, clearCache: false });
    return calls;
  }

  async #callAll(call: RankCall): Promise<void> {
    await Promise.all(this.#ranks.map((rank) => rank.call(call)));
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
