import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Engine, EngineStats } from '../engine/index.js';

const SECONDS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
const TOKENS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000];

/** How one request went, for the histograms. */
export interface RequestTimes {
  promptTokens: number;
  completionTokens: number;
  finishReasons: readonly string[];
  startedAt: number;
  firstTokenAt: number | null;
  endedAt: number;
}

/** Prometheus metrics, under vLLM's names where vLLM has them. They read, never steer. */
export class Metrics {
  readonly registry = new Registry();
  readonly #label: { model_name: string };
  readonly #firstToken: Histogram;
  readonly #betweenTokens: Histogram;
  readonly #total: Histogram;
  readonly #promptTokens: Histogram;
  readonly #outputTokens: Histogram;
  readonly #success: Counter;

  constructor(
    modelName: string,
    private readonly engine: () => Engine | null,
  ) {
    this.#label = { model_name: modelName };
    this.registry.setDefaultLabels(this.#label);
    collectDefaultMetrics({ register: this.registry });
    this.#gauge(
      'vllm:num_requests_running',
      'Sequences that decode or prefill.',
      (engine) => engine.stats().running,
    );
    this.#gauge(
      'vllm:num_requests_waiting',
      'Sequences that wait for a slot.',
      (engine) => engine.stats().waiting,
    );
    this.#gauge(
      'vllm:kv_cache_usage_perc',
      'Share of key/value positions in use, 0 to 1.',
      (engine) => engine.stats().kvUsage,
    );
    this.#gauge(
      'tito:kv_cache_bytes',
      'Most bytes that keys and values can take, on all ranks; taken as positions are first written.',
      ({ info }) => info.kvBytes,
    );
    this.#countOf('vllm:prompt_tokens_total', 'Prompt tokens computed.', ({ promptTokens }) => promptTokens);
    this.#countOf(
      'vllm:generation_tokens_total',
      'Tokens sampled.',
      ({ generationTokens }) => generationTokens,
    );
    this.#countOf(
      'vllm:prefix_cache_queries_total',
      'Prompt tokens looked up in the prefix cache.',
      (s) => s.prefixQueries,
    );
    this.#countOf(
      'vllm:prefix_cache_hits_total',
      'Prompt tokens found in the prefix cache.',
      (s) => s.prefixHits,
    );
    this.#countOf(
      'vllm:num_preemptions_total',
      'Sequences that gave up their slot.',
      ({ preemptions }) => preemptions,
    );
    this.#countOf('vllm:spec_decode_num_drafts_total', 'Times that tokens were guessed.', (s) => s.drafts);
    this.#countOf('vllm:spec_decode_num_draft_tokens_total', 'Tokens guessed.', (s) => s.draftTokens);
    this.#countOf(
      'vllm:spec_decode_num_accepted_tokens_total',
      'Guessed tokens that were sampled.',
      (s) => s.acceptedTokens,
    );
    this.#firstToken = this.#histogram(
      'vllm:time_to_first_token_seconds',
      'From arrival to the first token.',
      SECONDS,
    );
    this.#betweenTokens = this.#histogram(
      'vllm:inter_token_latency_seconds',
      'Mean time between tokens.',
      SECONDS,
    );
    this.#total = this.#histogram(
      'vllm:e2e_request_latency_seconds',
      'From arrival to the last token.',
      SECONDS,
    );
    this.#promptTokens = this.#histogram('vllm:request_prompt_tokens', 'Prompt tokens of a request.', TOKENS);
    this.#outputTokens = this.#histogram(
      'vllm:request_generation_tokens',
      'Output tokens of a request.',
      TOKENS,
    );
    this.#success = new Counter({
      name: 'vllm:request_success_total',
      help: 'Sequences that ended, by finish reason.',
      labelNames: ['finished_reason'],
      registers: [this.registry],
    });
  }

  /** Record a request that was answered. */
  observe(times: RequestTimes): void {
    const { startedAt, firstTokenAt, endedAt, completionTokens } = times;
    if (firstTokenAt !== null) this.#firstToken.observe((firstTokenAt - startedAt) / 1000);
    if (firstTokenAt !== null && completionTokens > 1) {
      this.#betweenTokens.observe((endedAt - firstTokenAt) / 1000 / (completionTokens - 1));
    }
    this.#total.observe((endedAt - startedAt) / 1000);
    this.#promptTokens.observe(times.promptTokens);
    this.#outputTokens.observe(completionTokens);
    for (const finished_reason of times.finishReasons) this.#success.inc({ finished_reason });
  }

  #gauge(name: string, help: string, read: (engine: Engine) => number): void {
    const { engine } = this;
    new Gauge({
      name,
      help,
      registers: [this.registry],
      collect() {
        const running = engine();
        this.set(running ? read(running) : 0);
      },
    });
  }

  /** The engine counts; this shows its count. */
  #countOf(name: string, help: string, read: (stats: EngineStats) => number): void {
    const { engine } = this;
    new Counter({
      name,
      help,
      registers: [this.registry],
      collect() {
        const stats = engine()?.stats();
        this.reset();
        this.inc(stats ? read(stats) : 0);
      },
    });
  }

  #histogram(name: string, help: string, buckets: number[]): Histogram {
    return new Histogram({ name, help, buckets, registers: [this.registry] });
  }
}
