import { GRAPH, type ModelConfig } from '../model/index.js';
import type { BoundRun, Session } from '../runtime/session.js';
import type { TensorView } from '../runtime/tensor-view.js';
import { KvBuffers } from './kv-buffers.js';

/** One row of a decode batch: the token at `position` of `slot`. */
export interface DecodeRow {
  slot: number;
  token: number;
  position: number;
  /** False for a row that only fills a gap between slots; its logits are not computed. */
  wanted: boolean;
}

/** Logits of some positions: row i is `row(i)`, a view that the next step of the same kind overwrites. */
export interface LogitRows {
  count: number;
  row(index: number): Float32Array;
}

export interface RunnerLimits {
  slots: number;
  /** Positions a slot can hold. */
  capacity: number;
  /** Most positions of one prefill chunk. */
  maxChunk: number;
}

/** Most decode bindings kept; each pins a few hundred native handles. */
const KEPT_BINDINGS = 64;

/**
 * Token ids in, logits out: owns the session's bindings and the key/value buffers, and turns a batch into the
 * graph's inputs. Runs one step at a time.
 */
export class ModelRunner {
  readonly kv: KvBuffers;
  readonly #decode: StepBuffers;
  readonly #prefill: StepBuffers;
  readonly #bindings = new Map<string, BoundRun>();

  constructor(
    private session: Session,
    private readonly config: ModelConfig,
    readonly limits: RunnerLimits,
  ) {
    this.kv = new KvBuffers(config, limits.slots, limits.capacity);
    this.#decode = new StepBuffers(limits.slots, limits.slots, config.vocabSize);
    this.#prefill = new StepBuffers(limits.maxChunk, 1, config.vocabSize);
  }

  /** Compute one position for each row. `rows` are consecutive slots. Logits: one row for each wanted one, in order. */
  async decode(rows: readonly DecodeRow[]): Promise<LogitRows> {
    const buffers = this.#decode;
    rows.forEach(({ token, position }, i) => {
      buffers.inputIds[i] = BigInt(token);
      buffers.seqlensK[i] = position;
    });
    buffers.total[0] = Math.max(...rows.map(({ position }) => position)) + 1;
    const wanted = rows.flatMap((row, i) => (row.wanted ? [i] : []));
    buffers.wantRows(wanted);
    await this.#decodeBinding(rows[0]!.slot, rows.length, wanted.length).run();
    return buffers.logits(wanted.length);
  }

  /**
   * Compute positions `[from, from + tokens.length)` of one slot as a chunk, with logits of the offsets `wanted`
   * within the chunk.
   */
  async prefill(
    slot: number,
    tokens: Int32Array,
    from: number,
    wanted: readonly number[],
  ): Promise<LogitRows> {
    const buffers = this.#prefill;
    const count = tokens.length;
    for (let i = 0; i < count; i++) buffers.inputIds[i] = BigInt(tokens[i]!);
    buffers.seqlensK[0] = from + count - 1;
    buffers.total[0] = from + count;
    buffers.ensureLogitRows(wanted.length);
    buffers.wantRows(wanted);
    const run = this.#bind(buffers, slot, 1, count, wanted.length);
    try {
      await run.run();
    } finally {
      run.release();
    }
    return buffers.logits(wanted.length);
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
      outputs: [{ name: GRAPH.logits, data: buffers.logitData, dims: [wanted, this.config.vocabSize] }],
      inPlace: this.kv.views(first, rows),
    });
  }
}

/** The arrays that a step's inputs and logits live in, rewritten each step. */
class StepBuffers {
  readonly inputIds: BigInt64Array;
  readonly seqlensK: Int32Array;
  readonly total = new Int32Array(new ArrayBuffer(4));
  #logitRows: BigInt64Array;
  logitData: Float32Array;

  constructor(
    positions: number,
    logitRows: number,
    private readonly vocabSize: number,
  ) {
    this.inputIds = new BigInt64Array(new ArrayBuffer(positions * 8));
    this.seqlensK = new Int32Array(new ArrayBuffer(positions * 4));
    this.#logitRows = new BigInt64Array(new ArrayBuffer(logitRows * 8));
    this.logitData = new Float32Array(logitRows * vocabSize);
  }

  /** Prompt logprobs want many rows of one chunk; grown on first use. */
  ensureLogitRows(count: number): void {
    if (count <= this.#logitRows.length) return;
    this.#logitRows = new BigInt64Array(new ArrayBuffer(count * 8));
    this.logitData = new Float32Array(count * this.vocabSize);
  }

  wantRows(rows: readonly number[]): void {
    for (let i = 0; i < rows.length; i++) this.#logitRows[i] = BigInt(rows[i]!);
  }

  inputs(rows: number, length: number, wanted: number): TensorView[] {
    return [
      { name: GRAPH.inputIds, data: this.inputIds, dims: [rows, length] },
      { name: GRAPH.seqlensK, data: this.seqlensK, dims: [rows] },
      { name: GRAPH.totalSequenceLength, data: this.total, dims: [1] },
      { name: GRAPH.logitRows, data: this.#logitRows, dims: [wanted] },
    ];
  }

  logits(count: number): LogitRows {
    const { logitData, vocabSize } = this;
    return { count, row: (index) => logitData.subarray(index * vocabSize, (index + 1) * vocabSize) };
  }
}
