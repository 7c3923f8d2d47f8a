import type { Usage } from '../../../generated/types.js';

/** Token counts of an answer. */
export function usageOf(promptTokens: number, outputTokens: number): Usage {
  return {
    prompt_tokens: promptTokens,
    total_tokens: promptTokens + outputTokens,
    completion_tokens: outputTokens,
  };
}

/** Usage of a chunk as generate gave it; a prompt count of the caller's wins. Null when there is none. */
export function chunkUsage(
  sent: Usage | null | undefined,
  promptTokens: number | null | undefined,
): Usage | null {
  return sent ? usageOf(promptTokens ?? sent.prompt_tokens, sent.completion_tokens ?? 0) : null;
}
