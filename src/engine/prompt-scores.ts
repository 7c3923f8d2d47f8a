import type { EngineRequest, PositionLogprobs, PromptInfo } from './index.js';
import type { Sampler } from './sampler.js';
import type { ScoredRows } from './scored-row.js';

/**
 * Scores of prompt positions, gathered chunk by chunk: the logits of position i score the token at i + 1. For
 * `promptLogprobs` every position, for `promptLogprobTokenIds` the positions from `promptLogprobStart` on.
 */
export class PromptScores {
  readonly #logprobs: Array<PositionLogprobs | null> = [null];
  readonly #rows: Float32Array[] = [];

  constructor(
    private readonly request: EngineRequest,
    private readonly sampler: Sampler,
  ) {}

  /** Offsets within the chunk `[from, from + count)` whose logits are wanted; the last always is. */
  offsets(from: number, count: number): number[] {
    const start =
      this.request.sampling.promptLogprobs === null ? this.request.sampling.promptLogprobStart : 0;
    const first = Math.min(Math.max(start - from, 0), count - 1);
    return Array.from({ length: count - first }, (_, i) => first + i);
  }

  record(from: number, offsets: readonly number[], scores: ScoredRows): void {
    const { tokenIds, sampling } = this.request;
    offsets.forEach((offset, row) => {
      const next = from + offset + 1;
      if (sampling.promptLogprobs !== null && next < tokenIds.length) {
        this.#logprobs.push(
          this.sampler.scorePosition(scores.row(row), tokenIds[next]!, sampling.promptLogprobs),
        );
      }
      const listed = sampling.promptLogprobTokenIds?.[next - 1 - sampling.promptLogprobStart];
      if (listed) this.#rows.push(this.sampler.scoreIds(scores.row(row), listed));
    });
  }

  result(): Pick<PromptInfo, 'logprobs' | 'tokenIdScores'> {
    const { promptLogprobs, promptLogprobTokenIds } = this.request.sampling;
    return {
      logprobs: promptLogprobs === null ? null : this.#logprobs,
      tokenIdScores: promptLogprobTokenIds ? this.#matrix(promptLogprobTokenIds[0]?.length ?? 0) : null,
    };
  }

  #matrix(columns: number): NonNullable<PromptInfo['tokenIdScores']> {
    const values = new Float32Array(this.#rows.length * columns);
    this.#rows.forEach((row, i) => {
      values.set(row, i * columns);
    });
    return { rows: this.#rows.length, columns, values };
  }
}
