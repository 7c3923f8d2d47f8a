import type { GenerateChoice, GenerateChunk } from '../../../generated/types.js';

/** Sequences as far as a stream has brought them. */
export class Merged {
  readonly #choices = new Map<number, GenerateChoice>();

  /** By index. */
  get choices(): GenerateChoice[] {
    return [...this.#choices.values()].sort((a, b) => a.index - b.index);
  }

  add(chunk: GenerateChunk): void {
    for (const news of chunk.choices) {
      const old = this.#choices.get(news.index);
      if (old) extend(old, news);
      else this.#choices.set(news.index, structuredClone(news));
    }
  }
}

/** Lists grow in place, so that a long stream costs no more a chunk than a short one. */
function extend(old: GenerateChoice, news: GenerateChoice): void {
  old.token_ids = appended(old.token_ids, news.token_ids);
  old.sampling_mask = appended(old.sampling_mask, news.sampling_mask);
  if (news.text != null) old.text = (old.text ?? '') + news.text;
  if (news.logprobs?.content) {
    const content = appended<unknown>(old.logprobs?.content, news.logprobs.content);
    old.logprobs = { ...news.logprobs, content } as NonNullable<GenerateChoice['logprobs']>;
  }
  old.finish_reason = news.finish_reason ?? old.finish_reason ?? null;
  old.stop_reason = news.stop_reason ?? old.stop_reason ?? null;
  old.weight_versions = news.weight_versions ?? old.weight_versions ?? null;
  old.routed_experts = news.routed_experts ?? old.routed_experts ?? null;
}

function appended<T>(list: T[] | null | undefined, more: readonly T[] | null | undefined): T[] | null {
  if (!more) return list ?? null;
  const grown = list ?? [];
  for (const item of more) grown.push(item);
  return grown;
}
