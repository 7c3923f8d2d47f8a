import type { GenerateChunk } from '../../generated/types.js';
import type { Answer } from './answer.js';
import { withDetails } from './full-response.js';
import type { ParsedGenerate } from './parse-request.js';
import type { GenerateSettings } from './settings.js';
import { ChoiceWriter, usageOf } from './wire-choice.js';
import { promptLogprobs } from './wire-logprobs.js';

/**
 * The chunks of a streamed answer: one choice each, then the usage chunk when asked for. The first chunk carries
 * the prompt's ids and logprobs when those were asked for.
 */
export async function* streamResponse(
  parsed: ParsedGenerate,
  answer: Answer,
  settings: GenerateSettings,
): AsyncGenerator<GenerateChunk> {
  const { engineRequest, requestId, outputMode, includeUsage, continuousUsage } = parsed;
  const promptTokens = engineRequest.tokenIds.length;
  const writers = Array.from({ length: engineRequest.sampling.n }, () => new ChoiceWriter(parsed, settings));
  const told = new Array<number>(writers.length).fill(0);
  let isFirst = true;
  for await (const news of answer) {
    told[news.index]! += news.tokenIds.length;
    const usage = includeUsage && continuousUsage ? usageOf(promptTokens, told[news.index]!) : null;
    yield {
      request_id: requestId,
      usage,
      output_mode: outputMode,
      choices: [writers[news.index]!.write(news)],
      ...(isFirst ? promptFields(parsed, answer, settings) : {}),
    };
    isFirst = false;
  }
  if (!includeUsage) return;
  const usage = withDetails(usageOf(promptTokens, answer.completionTokens), answer.prompt, settings);
  yield { request_id: requestId, usage, output_mode: outputMode, choices: [] };
}

function promptFields(
  { engineRequest, returnTokenIds }: ParsedGenerate,
  { prompt }: Answer,
  { tokenizer }: GenerateSettings,
): Pick<GenerateChunk, 'prompt_token_ids' | 'prompt_logprobs'> {
  const { tokenIds } = engineRequest;
  return {
    ...(returnTokenIds ? { prompt_token_ids: [...tokenIds] } : {}),
    ...(prompt?.logprobs ? { prompt_logprobs: promptLogprobs(prompt.logprobs, tokenIds, tokenizer) } : {}),
  };
}
