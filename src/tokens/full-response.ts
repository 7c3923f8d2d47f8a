import type { GenerateChoice, GenerateResponse, Usage } from '../../generated/types.js';
import type { PromptInfo } from '../engine/index.js';
import type { Answer } from './answer.js';
import { type ChoiceNews, joinNews } from './choice-reader.js';
import { npyBase64 } from './npy.js';
import type { ParsedGenerate } from './parse-request.js';
import type { GenerateSettings } from './settings.js';
import { ChoiceWriter, usageOf } from './wire-choice.js';
import { promptLogprobs } from './wire-logprobs.js';

/** Read a request to its end and give the answer as one body. */
export async function fullResponse(
  parsed: ParsedGenerate,
  answer: Answer,
  settings: GenerateSettings,
): Promise<GenerateResponse> {
  const whole = new Map<number, ChoiceNews>();
  for await (const news of answer) whole.set(news.index, joinNews(whole.get(news.index), news));
  const { engineRequest, requestId, outputMode } = parsed;
  const choices = [...whole.values()]
    .sort((a, b) => a.index - b.index)
    .map((news): GenerateChoice => new ChoiceWriter(parsed, settings).write(news));
  return {
    request_id: requestId,
    model: settings.servedModelNames[0]!,
    created: Math.floor(Date.now() / 1000),
    usage: withDetails(
      usageOf(engineRequest.tokenIds.length, answer.completionTokens),
      answer.prompt,
      settings,
    ),
    ...promptFields(parsed, answer.prompt, settings),
    prompt_token_ids: parsed.returnTokenIds ? [...engineRequest.tokenIds] : null,
    output_mode: outputMode,
    choices,
  };
}

function promptFields(
  { engineRequest, detokenize }: ParsedGenerate,
  prompt: PromptInfo | null,
  settings: GenerateSettings,
): Pick<GenerateResponse, 'prompt_logprobs' | 'prompt_token_id_logprobs'> {
  const scores = prompt?.tokenIdScores;
  const tokenizer = detokenize ? settings.tokenizer : null;
  return {
    prompt_logprobs: prompt?.logprobs
      ? promptLogprobs(prompt.logprobs, engineRequest.tokenIds, tokenizer)
      : null,
    prompt_token_id_logprobs: scores ? npyBase64(scores.values, [scores.rows, scores.columns]) : null,
  };
}

/** Add what `--enable-prompt-tokens-details` asks for. */
export function withDetails(usage: Usage, prompt: PromptInfo | null, settings: GenerateSettings): Usage {
  if (!settings.enablePromptTokensDetails || !prompt) return usage;
  return { ...usage, prompt_tokens_details: { cached_tokens: prompt.cachedTokens } };
}
