import type { GrammarCompiler } from '../structured/grammar-compiler.js';
import type { EngineRequest, EngineStats, Finish, PauseMode, SequenceEvent } from './index.js';
import type { DecodeRow, ModelRunner, PrefillRow, WantedOffset } from './model-runner.js';
import { nextBatch } from './prefill-batch.js';
import { guessNext } from './prompt-lookup.js';
import { PromptScores } from './prompt-scores.js';
import type { Sampler } from './sampler.js';
import { chunkLength, type PrefillChunk, planStep, type StepPlan } from './scheduler.js';
import type { ScoredRow, ScoredRows } from './scored-row.js';
import { Sequence } from './sequence.js';
import { Slots } from './slots.js';
import { StepLoop } from './step-loop.js';
import { finishOf } from './stop.js';
import { type SchedulingPolicy, WaitingQueue } from './waiting-queue.js';

export interface CoreOptions {
  maxModelLen: number;
  /** Positions computed in one step, decode rows included. */
  maxBatchedTokens: number;
  policy: SchedulingPolicy;
  prefixCaching: boolean;
  /** Most tokens guessed for a sequence that decodes alone, and checked in one step. */
  promptLookup: number;
  /** The first is the primary EOS. */
  eosIds: readonly number[];
}

/** What the loop needs of a model runner. */
export type Runner = Pick<ModelRunner, 'decode' | 'prefill' | 'limits' | 'experts'> & {
  kv: Pick<ModelRunner['kv'], 'copy'>;
};

/** An event and the id of the request that it belongs to. */
export type CoreEvent = readonly [requestId: string, event: SequenceEvent];

/** One row of a prefill, and what becomes of its scores. */
interface PrefillPlan {
  sequence: Sequence;
  row: PrefillRow;
  promptScores: PromptScores | null;
}

/** Sequences of one request that have not ended. */
type Live = Map<number, Sequence>;

/**
 * The loop of one rank: admit → decode → commit → prefill → commit, again and again while there is work.
 * Aborts take effect at once: a sequence that ended during a run is skipped when the run's results are
 * committed, so it never emits a token after its last event.
 */
export class EngineCore {
  readonly #waiting: WaitingQueue;
  readonly #slots: Slots;
  readonly #requests = new Map<string, Live>();
  readonly #promptScores = new Map<Sequence, PromptScores>();
  #running: Sequence[] = [];
  #outbox: CoreEvent[] = [];
  #arrivals = 0;
  #weightVersion = 'default';
  /** Counts swaps: keys and values of other weights are never reused, whatever the label. */
  #weightsSwapped = 0;
  #idle: Array<() => void> = [];
  readonly #loop = new StepLoop(
    () => this.#running.length > 0 || this.#waiting.has(({ awaitsGrammar }) => !awaitsGrammar),
    () => this.#step(),
    () => this.#flush(),
  );
  readonly #totals = {
    promptTokens: 0,
    generationTokens: 0,
    prefixQueries: 0,
    prefixHits: 0,
    preemptions: 0,
    drafts: 0,
    draftTokens: 0,
    acceptedTokens: 0,
  };

  constructor(
    private readonly runner: Runner,
    private readonly sampler: Sampler,
    private readonly options: CoreOptions,
    private readonly grammars: Pick<GrammarCompiler, 'begin'>,
    private readonly emit: (events: readonly CoreEvent[]) => void,
  ) {
    this.#waiting = new WaitingQueue(options.policy);
    this.#slots = new Slots(runner.limits.slots, options.prefixCaching);
  }

  submit(request: EngineRequest): void {
    const live: Live = new Map();
    this.#requests.set(request.id, live);
    for (let index = 0; index < request.sampling.n; index++) {
      const state = this.sampler.createState(request.sampling, request.tokenIds, index, this.options.eosIds);
      const sequence = new Sequence(request, index, state, this.#arrivals++, this.options.maxModelLen);
      live.set(index, sequence);
      this.#beginGrammar(sequence);
      this.#waiting.add(sequence);
    }
    this.#loop.wake();
  }

  /** A sequence with a structured output waits until its grammar is there; one that has none fails. */
  #beginGrammar(sequence: Sequence): void {
    const shape = sequence.request.sampling.structuredOutput;
    if (!shape) return;
    sequence.awaitsGrammar = true;
    this.grammars.begin(shape).then(
      (grammar) => {
        sequence.awaitsGrammar = false;
        if (sequence.finish) return grammar.dispose();
        sequence.grammar = grammar;
        this.#loop.wake();
      },
      (error: Error) => this.#fail([sequence], error),
    );
  }

  /** End every unfinished sequence of a request; unknown ids are ignored. */
  abort(requestId: string): void {
    for (const sequence of [...(this.#requests.get(requestId)?.values() ?? [])]) this.#abort(sequence);
    this.#flush();
  }

  /** End one sequence of a request early. */
  end(requestId: string, index: number): void {
    const sequence = this.#requests.get(requestId)?.get(index);
    if (sequence) this.#abort(sequence);
    this.#flush();
  }

  /** Stop computing (keep), or end what runs (abort), or resolve once nothing runs (wait). */
  async pause(mode: PauseMode, clearCache: boolean): Promise<void> {
    if (mode === 'abort') for (const id of [...this.#requests.keys()]) this.abort(id);
    if (mode === 'wait') await this.drained();
    await this.betweenSteps(() => {
      this.#loop.setFrozen(mode === 'keep');
      if (!clearCache) return;
      this.#slots.clear();
      for (const sequence of this.#running) this.#recompute(sequence);
    });
  }

  /** Do something while no run reads or writes the key/value buffers or the weights. */
  betweenSteps(action: () => void | Promise<void>): Promise<void> {
    return this.#loop.betweenSteps(action);
  }

  resume(): void {
    this.#loop.setFrozen(false);
  }

  setWeightVersion(version: string): void {
    this.#weightVersion = version;
  }

  /** From now on other weights compute; what they sample carries the label. */
  goOverTo(version: string): void {
    this.#weightsSwapped++;
    this.#weightVersion = version;
  }

  resetPrefixCache(): Promise<void> {
    return this.betweenSteps(() => this.#slots.clear());
  }

  /** Resolves when no request is left. */
  drained(): Promise<void> {
    if (this.#requests.size === 0) return Promise.resolve();
    return new Promise((resolve) => this.#idle.push(resolve));
  }

  /** Leave the loop after the step that runs. */
  close(): void {
    this.#loop.close();
  }

  stats(): EngineStats {
    const { slots, capacity } = this.runner.limits;
    return {
      running: this.#running.length,
      waiting: this.#waiting.size,
      kvUsage: this.#slots.positionsInUse / (slots * capacity),
      ...this.#totals,
    };
  }

  /** Work until closed. Rejects only on a fault of ours. */
  run(): Promise<void> {
    return this.#loop.run();
  }

  async #step(): Promise<void> {
    this.#admit();
    this.#compact();
    const plan = planStep(this.#running, this.options.maxBatchedTokens);
    const guesses = this.#guessesFor(plan);
    if (guesses) await this.#guard(plan.decode, () => this.#check(plan.decode[0]!, guesses));
    else if (plan.decode.length > 0) await this.#guard(plan.decode, () => this.#decode(plan.decode));
    await this.#prefillAll(plan.prefill);
  }

  #admit(): void {
    if (this.options.policy === 'priority') this.#preempt();
    while (this.#slots.free > 0) {
      const sequence = this.#waiting.take(
        (candidate) =>
          !candidate.awaitsGrammar && !this.#slots.worthWaiting(candidate, this.#cacheKey(candidate)),
      );
      if (!sequence) return;
      const admission = this.#slots.admit(sequence, this.#cacheKey(sequence));
      if (!admission) {
        this.#waiting.add(sequence);
        return;
      }
      if (admission.copyFrom !== null)
        this.runner.kv.copy(admission.copyFrom, admission.slot, admission.cached);
      this.#totals.prefixQueries += sequence.length;
      this.#totals.prefixHits += admission.cached;
      this.#running.push(sequence);
    }
  }

  /** With no slot free, a waiting sequence takes the slot of the least important running one that ranks below it. */
  #preempt(): void {
    const { first } = this.#waiting;
    if (!first || first.awaitsGrammar || this.#slots.free > 0) return;
    const victim = this.#running.reduce((last, other) => (ranksBelow(other, last) ? other : last));
    if (victim.request.priority <= first.request.priority) return;
    this.#slots.release(victim);
    this.#running = this.#running.filter((other) => other !== victim);
    this.#recompute(victim);
    this.#waiting.add(victim);
    this.#totals.preemptions++;
  }

  /** The sequence starts anew with the tokens that it has. */
  #recompute(sequence: Sequence): void {
    sequence.computed = 0;
    this.#promptScores.delete(sequence);
  }

  /** A batch spans the slots between its rows: move an outer row inward when too many rows would be gaps. */
  #compact(): void {
    if (this.#running.length < 2) return;
    const [first, last] = Slots.span(this.#running);
    const gaps = last - first + 1 - this.#running.length;
    if (gaps <= Math.max(1, this.#running.length >> 3)) return;
    const outer = [first, last].map((slot) => this.#slots.ownerOf(slot)!);
    const [moved] = outer.sort((a, b) => a.computed - b.computed);
    const gap = Array.from({ length: last - first }, (_, i) => first + i).find(
      (slot) => !this.#slots.ownerOf(slot),
    );
    if (!moved || gap === undefined) return;
    this.runner.kv.copy(moved.slot!, gap, moved.computed);
    this.#slots.move(moved, gap);
  }

  async #decode(sequences: readonly Sequence[]): Promise<void> {
    const [first, last] = Slots.span(sequences);
    const rows = Array.from({ length: last - first + 1 }, (_, i) => this.#decodeRow(first + i));
    const inOrder = rows.filter(({ wanted }) => wanted).map(({ slot }) => this.#slots.ownerOf(slot)!);
    const run = this.#started(this.runner.decode(rows));
    const masks = await Promise.all(inOrder.map(({ grammar }) => grammar?.mask() ?? null));
    const scores = await run;
    inOrder.forEach((sequence, i) => {
      if (!sequence.finish) this.#commit(sequence, 1, scores.row(i), masks[i]!);
    });
  }

  /** Several rows fill the machine better than guesses do, and a grammar knows only what comes next. */
  #guessesFor({ decode, prefill }: StepPlan): Int32Array | null {
    const [alone] = decode;
    if (!alone || decode.length > 1 || prefill.length > 0 || alone.grammar) return null;
    const room = alone.tokens.length - alone.length - 1;
    const most = Math.min(this.options.promptLookup, room, this.runner.limits.maxChunk - 1);
    return guessNext(alone.tokens, alone.length, most);
  }

  /**
   * Compute the positions of guessed tokens along with the one that is due. Each is sampled as ever, from what was
   * sampled before it; the first that isn't as guessed ends it. What was written behind is overwritten before it is read.
   */
  async #check(sequence: Sequence, guesses: Int32Array): Promise<void> {
    const { computed: from, slot } = sequence;
    const tokens = Int32Array.of(sequence.tokens[from]!, ...guesses);
    const wanted = wantedOf(sequence, [...tokens.keys()]);
    const scores = await this.#started(this.runner.prefill([{ slot: slot!, tokens, from, wanted }]));
    this.#totals.drafts++;
    this.#totals.draftTokens += guesses.length;
    for (let i = 0; i < tokens.length && !sequence.finish; i++) {
      this.#commit(sequence, 1, scores.row(i), null);
      if (sequence.tokens[sequence.length - 1] !== guesses[i]) break;
      this.#totals.acceptedTokens++;
    }
  }

  /** What the last run brought goes out while this one computes. */
  #started(run: Promise<ScoredRows>): Promise<ScoredRows> {
    this.#flush();
    return run;
  }

  #decodeRow(slot: number): DecodeRow {
    const owner = this.#slots.ownerOf(slot);
    if (owner?.pending === 1) {
      const { inverseTemperature } = owner.sampler;
      const token = owner.tokens[owner.computed]!;
      return { slot, token, position: owner.computed, wanted: true, inverseTemperature };
    }
    const position = this.#slots.writablePosition(slot, this.runner.limits.capacity);
    return { slot, token: 0, position, wanted: false, inverseTemperature: 1 };
  }

  async #prefillAll(chunks: readonly PrefillChunk[]): Promise<void> {
    for (let left = chunks; left.length > 0; ) {
      const unfinished = left.filter(({ sequence }) => !sequence.finish);
      const [batch, rest] = nextBatch(unfinished, this.runner.limits.maxChunk);
      const sequences = batch.map(({ sequence }) => sequence);
      await this.#guard(sequences, () => this.#prefill(batch));
      left = rest;
    }
  }

  async #prefill(batch: readonly PrefillChunk[]): Promise<void> {
    const plans = batch.map((chunk) => this.#prefillPlan(chunk));
    const run = this.#started(this.runner.prefill(plans.map(({ row }) => row)));
    const masks = await Promise.all(batch.map(({ sequence }) => sequence.grammar?.mask() ?? null));
    const scores = await run;
    let lastRow = -1;
    plans.forEach(({ sequence, row, promptScores }, i) => {
      const firstRow = lastRow + 1;
      lastRow += row.wanted.length;
      if (sequence.finish) return;
      const offsets = row.wanted.map(({ offset }) => offset);
      promptScores?.record(row.from, offsets, {
        count: offsets.length,
        row: (at) => scores.row(firstRow + at),
      });
      this.#totals.promptTokens += row.tokens.length;
      this.#commit(sequence, row.tokens.length, scores.row(lastRow), masks[i]!);
    });
  }

  #prefillPlan({ sequence, count: most }: PrefillChunk): PrefillPlan {
    const { computed: from, slot } = sequence;
    const promptScores = this.#scoresOf(sequence);
    const count = promptScores ? chunkLength(sequence.pending, Math.min(most, SCORED_CHUNK)) : most;
    const offsets = promptScores?.offsets(from, count) ?? [count - 1];
    const tokens = sequence.tokens.subarray(from, from + count);
    const wanted = wantedOf(sequence, offsets);
    return { sequence, row: { slot: slot!, tokens, from, wanted }, promptScores };
  }

  /** Positions are computed; if that was the last known token, sample the next. */
  #commit(sequence: Sequence, count: number, scores: ScoredRow, mask: Int32Array | null): void {
    sequence.computed += count;
    if (sequence.pending > 0) return;
    const sampled = this.sampler.sample(scores, sequence.sampler, mask);
    sequence.append(sampled.id, this.#weightVersion);
    sequence.sampler.commit(sampled.id);
    sequence.grammar?.accept(sampled.id);
    this.#totals.generationTokens++;
    const stop = finishOf(sequence.sampler, sequence.length, this.options.maxModelLen);
    if (stop) sequence.end(stop.reason, stop.stopReason);
    this.#send(sequence, {
      tokenIds: [sampled.id],
      logprobs: sampled.logprobs ? [sampled.logprobs] : null,
      samplingMask: sampled.mask ? [sampled.mask] : null,
    });
    if (sequence.finish) this.#leave(sequence);
  }

  #abort(sequence: Sequence): void {
    sequence.end('abort', null);
    this.#send(sequence, { tokenIds: [], logprobs: null, samplingMask: null });
    this.#leave(sequence);
  }

  #leave(sequence: Sequence): void {
    if (sequence.slot !== null) {
      this.#slots.release(sequence);
      this.#running = this.#running.filter((other) => other !== sequence);
    } else {
      this.#waiting.remove(sequence);
    }
    this.#promptScores.delete(sequence);
    sequence.grammar?.dispose();
    const live = this.#requests.get(sequence.request.id);
    live?.delete(sequence.index);
    if (live?.size === 0) this.#requests.delete(sequence.request.id);
    if (this.#requests.size === 0) for (const resolve of this.#idle.splice(0)) resolve();
  }

  /** A failed run ends its sequences and nothing else. */
  async #guard(sequences: readonly Sequence[], run: () => Promise<void>): Promise<void> {
    try {
      await run();
    } catch (error) {
      this.#fail(sequences, error as Error);
    }
  }

  #fail(sequences: readonly Sequence[], { message }: Error): void {
    process.stderr.write(`${message}\n`);
    for (const sequence of sequences) {
      if (sequence.finish) continue;
      sequence.end('error', null);
      this.#send(sequence, { tokenIds: [], logprobs: null, samplingMask: null });
      this.#leave(sequence);
    }
    this.#flush();
  }

  #scoresOf(sequence: Sequence): PromptScores | null {
    if (!sequence.scoresPrompt) return null;
    const scores = this.#promptScores.get(sequence) ?? new PromptScores(sequence.request, this.sampler);
    this.#promptScores.set(sequence, scores);
    return scores;
  }

  #send(sequence: Sequence, news: Pick<SequenceEvent, 'tokenIds' | 'logprobs' | 'samplingMask'>): void {
    const { index, finish, request } = sequence;
    if (finish) this.#tellExperts(sequence, finish);
    const isFirst = index === 0 && !sequence.announced;
    sequence.announced = true;
    const prompt = isFirst
      ? {
          cachedTokens: sequence.cachedTokens,
          ...(this.#promptScores.get(sequence)?.result() ?? NO_PROMPT_SCORES),
        }
      : null;
    this.#outbox.push([request.id, { index, ...news, finish, prompt }]);
  }

  /** While the sequence has its slot. */
  #tellExperts({ slot, computed, request }: Sequence, finish: Finish): void {
    const { experts } = this.runner;
    if (!experts || slot === null || computed === 0 || finish.reason === 'error') return;
    const from = Math.min(request.sampling.routedExpertsPromptStart, computed);
    finish.routedExperts = experts.read(slot, from, computed);
  }

  #flush(): void {
    if (this.#outbox.length > 0) this.emit(this.#outbox);
    this.#outbox = [];
  }

  #cacheKey({ request }: Sequence): string {
    return JSON.stringify([this.#weightsSwapped, this.#weightVersion, request.cacheSalt]);
  }
}

/** Every position of a scored prompt brings a row of the vocabulary: keep chunks short. */
const SCORED_CHUNK = 64;

const ranksBelow = (a: Sequence, b: Sequence): boolean =>
  a.request.priority > b.request.priority ||
  (a.request.priority === b.request.priority && a.arrival > b.arrival);

const NO_PROMPT_SCORES = { logprobs: null, tokenIdScores: null };

const wantedOf = (
  { sampler: { inverseTemperature } }: Sequence,
  offsets: readonly number[],
): WantedOffset[] => offsets.map((offset) => ({ offset, inverseTemperature }));
