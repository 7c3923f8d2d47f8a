import { GRAPH, type ModelConfig, TOP_COUNT } from '../model/index.js';
import type { BoundRun, Session } from '../runtime/session.js';
import type { TensorView } from '../runtime/tensor-view.js';
import { ExpertRecord } from './expert-record.js';
import { KvBuffers } from './kv-buffers.js';
import type { ScoredRows } from './scored-row.js';

/** One row of a decode batch: the token at `position` of `slot`. */
export interface DecodeRow {
  slot: number;
  token: number;
  position: number;
  /** False for a row that only fills a gap between slots; it gets no scores. */
  wanted: boolean;
  /** 1 / temperature, for the row's probabilities; 1 when unused. */
  inverseTemperature: number;
}

/** One row of a prefill: positions `[from, from + tokens.length)` of `slot`. */
export interface PrefillRow {
  slot: number;
  tokens: Int32Array;
  from: number;
  /** At least one. */
  wanted: readonly WantedOffset[];
}

/** A position of a prefill chunk, as an offset within it, that scores are wanted for. */
export interface WantedOffset {
  offset: number;
  inverseTemperature: number;
}

export interface RunnerLimits {
  slots: number;
  /** Positions a slot can hold. */
  capacity: number;
  /** Most positions of one prefill, padding included. */
  maxChunk: number;
  /** Whether to record where positions are sent; only of mixtures of experts. Default: no. */
  routedExperts?: boolean;
}

/** Most decode bindings kept; each pins a few hundred native handles. */
const KEPT_BINDINGS = 64;

/**
 * Token ids in, logits out: owns the session's bindings and the key/value buffers, and turns a batch into the
 * graph's inputs. Runs one step at a time.
 */
export class ModelRunner {
  readonly kv: KvBuffers;
  /** Null when they are not recorded. */
  readonly experts: ExpertRecord | null;
  readonly #decode: StepBuffers;
  readonly #prefill: StepBuffers;
  readonly #bindings = new Map<string, BoundRun>();

  constructor(
    private session: Session,
    config: ModelConfig,
    readonly limits: RunnerLimits,
  ) {
    const { layers, experts } = config;
    const recorded = limits.routedExperts && experts ? { layers, experts } : null;
    this.experts = recorded && new ExpertRecord(recorded, limits.slots, limits.capacity);
    this.kv = new KvBuffers(config, limits.slots, limits.capacity, this.experts);
    const routed = recorded && ([layers, recorded.experts.used] as const);
    this.#decode = new StepBuffers(limits.slots, limits.slots, config.vocabSize, routed);
    this.#prefill = new StepBuffers(limits.maxChunk, 1, config.vocabSize, routed);
  }

  /** Compute one position for each row. `rows` are consecutive slots. Scores: one row for each wanted one, in order. */
  async decode(rows: readonly DecodeRow[]): Promise<ScoredRows> {
    const buffers = this.#decode;
    rows.forEach(({ token, position }, i) => {
      buffers.inputIds[i] = BigInt(token);
      buffers.seqlensK[i] = position;
    });
    buffers.total[0] = Math.max(...rows.map(({ position }) => position)) + 1;
    const wanted = rows.flatMap(({ wanted, inverseTemperature }, offset) =>
      wanted ? [{ offset, inverseTemperature }] : [],
    );
    buffers.want(wanted);
    await this.#decodeBinding(rows[0]!.slot, rows.length, wanted.length).run();
    rows.forEach(({ slot, position }, i) => {
      this.experts?.write(slot, position, buffers.routed, i, 1);
    });
    return buffers.scores(wanted.length);
  }

  /**
   * Compute a chunk of one slot, or the beginnings of several consecutive slots, from 0 each: shorter rows are filled up,
   * and what that writes behind them is overwritten before it is read. Scores: of the offsets wanted, row after row.
   */
  async prefill(rows: readonly PrefillRow[]): Promise<ScoredRows> {
    const buffers = this.#prefill;
    const length = Math.max(...rows.map(({ tokens }) => tokens.length));
    rows.forEach(({ tokens, from }, i) => {
      for (let at = 0; at < length; at++) buffers.inputIds[i * length + at] = BigInt(tokens[at] ?? 0);
      buffers.seqlensK[i] = from + tokens.length - 1;
    });
    buffers.total[0] = rows[0]!.from + length;
    const wanted = rows.flatMap((row, i) =>
      row.wanted.map((want) => ({ ...want, offset: i * length + want.offset })),
    );
    buffers.ensureRows(wanted.length);
    buffers.want(wanted);
    const run = this.#bind(buffers, rows[0]!.slot, rows.length, length, wanted.length);
    try {
      await run.run();
    } finally {
      run.release();
    }
    rows.forEach(({ slot, tokens, from }, i) => {
      this.experts?.write(slot, from, buffers.routed, i * length, tokens.length);
    });
    return buffers.scores(wanted.length);
  }

  /**
   * Compute with another session of the same graph from now on, as after a weight update. The keys and values
   * stay. Only between runs.
   */
  async replaceSession(session: Session): Promise<void> {
    await this.close();
    this.session = session;
  }

  /** Release the bindings and the session. */
  async close(): Promise<void> {
    for (const run of this.#bindings.values()) run.release();
    this.#bindings.clear();
    await this.session.close();
  }

  #decodeBinding(first: number, rows: number, wanted: number): BoundRun {
    const key = `${first}:${rows}:${wanted}`;
    const kept = this.#bindings.get(key);
    if (kept) {
      this.#bindings.delete(key);
      this.#bindings.set(key, kept);
      return kept;
    }
    this.#dropOldestBinding();
    const run = this.#bind(this.#decode, first, rows, 1, wanted);
    this.#bindings.set(key, run);
    return run;
  }

  #dropOldestBinding(): void {
    if (this.#bindings.size < KEPT_BINDINGS) return;
    const [key, run] = this.#bindings.entries().next().value!;
    run.release();
    this.#bindings.delete(key);
  }

  #bind(buffers: StepBuffers, first: number, rows: number, length: number, wanted: number): BoundRun {
    return this.session.bind({
      inputs: buffers.inputs(rows, length, wanted),
      outputs: buffers.outputs(rows * length, wanted),
      inPlace: this.kv.views(first, rows),
    });
  }
}

/** The arrays that a step's inputs and scores live in, rewritten each step. */
class StepBuffers {
  readonly inputIds: BigInt64Array;
  readonly seqlensK: Int32Array;
  readonly total = new Int32Array(new ArrayBuffer(4));
  /** [positions, layers, experts a position]; empty when experts are not recorded. */
  readonly routed: Int32Array;
  readonly #topCount: number;
  #rows!: BigInt64Array;
  #inverseTemperature!: Float32Array;
  #logits!: Float32Array;
  #logprobs!: Float32Array;
  #probabilities!: Float32Array;
  #topLogits!: Float32Array;
  #topIds!: Int32Array;

  constructor(
    positions: number,
    rows: number,
    private readonly vocabSize: number,
    /** Layers and experts a position, when those are recorded. */
    private readonly routing: readonly [layers: number, used: number] | null,
  ) {
    const [layers, used] = routing ?? [0, 0];
    this.routed = new Int32Array(new ArrayBuffer(positions * layers * used * 4));
    this.inputIds = new BigInt64Array(new ArrayBuffer(positions * 8));
    this.seqlensK = new Int32Array(new ArrayBuffer(positions * 4));
    this.#topCount = Math.min(TOP_COUNT, vocabSize);
    this.#allocate(rows);
  }

  /** Prompt logprobs want many rows of one chunk; grown on first use. */
  ensureRows(count: number): void {
    if (count > this.#rows.length) this.#allocate(count);
  }

  want(wanted: readonly WantedOffset[]): void {
    wanted.forEach(({ offset, inverseTemperature }, i) => {
      this.#rows[i] = BigInt(offset);
      this.#inverseTemperature[i] = inverseTemperature;
    });
  }

  inputs(rows: number, length: number, wanted: number): TensorView[] {
    return [
      { name: GRAPH.inputIds, data: this.inputIds, dims: [rows, length] },
      { name: GRAPH.seqlensK, data: this.seqlensK, dims: [rows] },
      { name: GRAPH.totalSequenceLength, data: this.total, dims: [1] },
      { name: GRAPH.logitRows, data: this.#rows, dims: [wanted] },
      { name: GRAPH.inverseTemperature, data: this.#inverseTemperature, dims: [wanted, 1] },
    ];
  }

  outputs(positions: number, wanted: number): TensorView[] {
    const vocabulary = [wanted, this.vocabSize];
    const top = [wanted, this.#topCount];
    const { routing, routed } = this;
    return [
      ...(routing ? [{ name: GRAPH.routedExperts, data: routed, dims: [positions, ...routing] }] : []),
      { name: GRAPH.logits, data: this.#logits, dims: vocabulary },
      { name: GRAPH.logprobs, data: this.#logprobs, dims: vocabulary },
      { name: GRAPH.probabilities, data: this.#probabilities, dims: vocabulary },
      { name: GRAPH.topLogits, data: this.#topLogits, dims: top },
      { name: GRAPH.topIds, data: this.#topIds, dims: top },
    ];
  }

  scores(count: number): ScoredRows {
    const { vocabSize } = this;
    const part = <T extends Float32Array | Int32Array>(all: T, index: number, size: number): T =>
      all.subarray(index * size, (index + 1) * size) as T;
    return {
      count,
      row: (index) => ({
        logits: part(this.#logits, index, vocabSize),
        logprobs: part(this.#logprobs, index, vocabSize),
        probabilities: part(this.#probabilities, index, vocabSize),
        topLogits: part(this.#topLogits, index, this.#topCount),
        topIds: part(this.#topIds, index, this.#topCount),
      }),
    };
  }

  #allocate(rows: number): void {
    this.#rows = new BigInt64Array(new ArrayBuffer(rows * 8));
    this.#inverseTemperature = new Float32Array(new ArrayBuffer(rows * 4));
    this.#logits = new Float32Array(rows * this.vocabSize);
    this.#logprobs = new Float32Array(rows * this.vocabSize);
    this.#probabilities = new Float32Array(rows * this.vocabSize);
    this.#topLogits = new Float32Array(rows * this.#topCount);
    this.#topIds = new Int32Array(new ArrayBuffer(rows * this.#topCount * 4));
  }
}
