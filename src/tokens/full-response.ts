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
  const whole = await gather(answer);
  const { engineRequest, requestId, outputMode } = parsed;
  const choices = whole.map((news): GenerateChoice => new ChoiceWriter(parsed, settings).write(news));
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

/** Everything that comes of each sequence, by index. */
export async function gather(news: AsyncIterable<ChoiceNews>): Promise<ChoiceNews[]> {
  const whole = new Map<number, ChoiceNews>();
  for await (const fresh of news) whole.set(fresh.index, joinNews(whole.get(fresh.index), fresh));
  return [...whole.values()].sort((a, b) => a.index - b.index);
}

/** What a request asked to know of its prompt. */
export function promptFields(
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
