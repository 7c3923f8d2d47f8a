import { randomBytes } from 'node:crypto';
import type {
  Completion,
  CompletionChoice,
  CompletionRequest,
  DerenderableResponse,
  DerenderCompletionRequest,
} from '../../../generated/types.js';
import { schemaFault, valueFault } from '../../errors.js';
import { textTools } from '../prompt.js';
import { checkServed } from '../request-fields.js';
import type { RenderSettings } from '../settings.js';
import { checkBounds, checkPromptLength } from './bounds.js';
import { type Decoding, NO_IDS, wholeText } from './decoding.js';
import { chatLogprobs, completionLogprobs } from './logprobs.js';
import { usageOf } from './usage.js';

type PromptIds = readonly number[] | null;

/** Whole answers of generate, one a prompt, to a text completion (`derenderCompletion`). Throws a 400 or 404. */
export function derenderCompletion(body: DerenderCompletionRequest, settings: RenderSettings): Completion {
  const { generate_responses: answers, completion_request: request } = body;
  if (!answers) {
    throw schemaFault('body.generate_responses', 'generate_responses is needed (or stream: true).');
  }
  const promptTokens = listFor(answers, body.prompt_tokens, 'prompt_tokens') as number[] | null;
  const promptIds = listFor(answers, body.prompt_token_ids, 'prompt_token_ids') as PromptIds[] | null;
  checkServed(body.model, settings);
  if (answers.length === 0) throw valueFault(null, 'generate_responses must not be empty.');
  checkBounds(answers, settings);
  for (const ids of promptIds ?? []) checkPromptLength(ids, settings.maxModelLen);
  return textCompletion(
    answers,
    { request: request ?? null, promptTokens, promptIds, model: body.model || settings.servedModelNames[0]! },
    settings,
  );
}

/** The prompts that were completed, and how the answer is to look. */
export interface CompletedPrompts {
  request: CompletionRequest | null;
  promptTokens: readonly number[] | null;
  promptIds: readonly PromptIds[] | null;
  model: string;
}

/** The text completion of whole answers that were checked. Throws a 400 for a sequence without ids. */
export function textCompletion(
  answers: readonly DerenderableResponse[],
  prompts: CompletedPrompts,
  settings: RenderSettings,
): Completion {
  const decoding = completionDecoding(prompts.request, settings);
  const choices: CompletionChoice[] = [];
  let outputTokens = 0;
  for (const [at, answer] of answers.entries()) {
    const promptIds = prompts.promptIds?.[at] ?? answer.prompt_token_ids ?? [];
    for (const choice of answer.choices) {
      if (!choice.token_ids?.length) {
        throw valueFault(null, `Choice ${choice.index} of generate_responses.${at} has no token_ids.`);
      }
      outputTokens += choice.token_ids.length;
      const described = chatLogprobs(decoding.tokenizer, choice.logprobs, [], topOf(prompts.request));
      choices.push({
        index: choices.length,
        text: wholeText(choice, promptIds, decoding),
        logprobs: completionLogprobs(described, 0),
        finish_reason: choice.finish_reason ?? null,
        stop_reason: choice.stop_reason ?? null,
      });
    }
  }
  const promptTokens = prompts.promptTokens?.reduce((sum, count) => sum + count, 0) ?? 0;
  return {
    id: answers[0]!.request_id ?? randomBytes(8).toString('hex'),
    object: 'text_completion',
    created: Math.floor(Date.now() / 1000),
    model: prompts.model,
    choices,
    usage: usageOf(promptTokens, outputTokens),
    kv_transfer_params: sameForAll(answers),
    metrics: answers.length === 1 ? (answers[0]!.metrics ?? null) : null,
  };
}

/** How completions are decoded. */
export function completionDecoding(request: CompletionRequest | null, settings: RenderSettings): Decoding {
  const { tokenizer, hiddenIds } = textTools(settings);
  const showsAll = request?.skip_special_tokens === false;
  return { tokenizer, hiddenIds: showsAll ? NO_IDS : hiddenIds, request, eosId: settings.eosId };
}

/** Entries of `top_logprobs` that the request asked for, the sampled token among them; null = all. */
export function topOf(request: CompletionRequest | null): number | null {
  const asked = request?.logprobs;
  return asked == null || request?.logprob_token_ids?.length ? null : asked + 1;
}

function listFor(answers: readonly unknown[], list: unknown, field: string): unknown[] | null {
  if (list === undefined || list === null) return null;
  if (!Array.isArray(list) || list.length !== answers.length) {
    throw schemaFault('body', `${field} must be a list with one entry for each of generate_responses.`);
  }
  return list;
}

/** Passed through when every prompt has the same. */
function sameForAll(answers: readonly DerenderableResponse[]): Record<string, unknown> | null {
  const [first, ...others] = answers.map(({ kv_transfer_params: params }) => params ?? null);
  const text = JSON.stringify(first);
  return others.every((params) => JSON.stringify(params) === text) ? (first ?? null) : null;
}
