import type { Answer } from '../../tokens/answer.js';
import type { ChoiceNews } from '../../tokens/choice-reader.js';
import type { ParsedGenerate } from '../../tokens/parse-request.js';
import type { ServerState } from '../state.js';

export type Observed = Answer;

/** The same answer, watched: its end goes to the metrics and the log. */
export function observed(answer: Answer, parsed: ParsedGenerate, state: ServerState): Observed {
  const startedAt = performance.now();
  async function* watched(): AsyncGenerator<ChoiceNews> {
    let firstTokenAt: number | null = null;
    const finishReasons: string[] = [];
    try {
      for await (const news of answer) {
        if (news.tokenIds.length > 0) firstTokenAt ??= performance.now();
        if (news.finish) finishReasons.push(news.finish.reason);
        yield news;
      }
    } finally {
      const endedAt = performance.now();
      const promptTokens = parsed.engineRequest.tokenIds.length;
      const { completionTokens } = answer;
      state.metrics.observe({
        promptTokens,
        completionTokens,
        finishReasons,
        startedAt,
        firstTokenAt,
        endedAt,
      });
      state.log.info({
        requestId: parsed.requestId,
        promptTokens,
        completionTokens,
        finish: finishReasons.join(),
        firstTokenMs: firstTokenAt === null ? null : Math.round(firstTokenAt - startedAt),
        totalMs: Math.round(endedAt - startedAt),
      });
    }
  }
  return {
    get prompt() {
      return answer.prompt;
    },
    get completionTokens() {
      return answer.completionTokens;
    },
    [Symbol.asyncIterator]: watched,
  };
}
