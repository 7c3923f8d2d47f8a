import type { GenerateChunk } from '../../generated/types.js';
import type { Answer } from './answer.js';
import { withDetails } from './full-response.js';
import type { ParsedGenerate } from './parse-request.js';
import type { GenerateSettings } from './settings.js';
import { spaced } from './stream-interval.js';
import { ChoiceWriter, usageOf } from './wire-choice.js';

/**
 * The chunks of a streamed answer: one choice each, then the usage chunk when asked for. The first chunk carries
 * the prompt's ids when those were asked for; prompt logprobs are for whole answers only, as in the reference.
 */
export async function* streamResponse(
  parsed: ParsedGenerate,
  answer: Answer,
  settings: GenerateSettings,
): AsyncGenerator<GenerateChunk> {
  const { engineRequest, requestId, outputMode, includeUsage, continuousUsage, returnTokenIds } = parsed;
  const promptTokens = engineRequest.tokenIds.length;
  const writers = Array.from({ length: engineRequest.sampling.n }, () => new ChoiceWriter(parsed, settings));
  const told = new Array<number>(writers.length).fill(0);
  let isFirst = true;
  for await (const news of spaced(answer, parsed.streamInterval)) {
    told[news.index]! += news.tokenIds.length;
    const usage = includeUsage && continuousUsage ? usageOf(promptTokens, told[news.index]!) : null;
    yield {
      request_id: requestId,
      usage,
      output_mode: outputMode,
      choices: [writers[news.index]!.write(news)],
      ...(isFirst && returnTokenIds ? { prompt_token_ids: [...engineRequest.tokenIds] } : {}),
    };
    isFirst = false;
  }
  if (!includeUsage) return;
  const usage = withDetails(usageOf(promptTokens, answer.completionTokens), answer.prompt, settings);
  yield { request_id: requestId, usage, output_mode: outputMode, choices: [] };
}
