import type { CompletionRequest, GenerateRequest } from '../../generated/types.js';
import { valueFault } from '../errors.js';
import { maxTokensFor } from './max-tokens.js';
import { type PromptOptions, promptOfIds, promptOfText, type RenderedPrompt } from './prompt.js';
import {
  checkDelivery,
  checkServed,
  deliveryFields,
  prefixedId,
  type RenderHeaders,
} from './request-fields.js';
import type { RenderSettings } from './settings.js';
import { structuredOutputsOf } from './structured-outputs.js';
import { wireSampling } from './wire-sampling.js';

/** The reference's default for completions, and the API's that it follows. */
const DEFAULT_MAX_TOKENS = 16;
const MAX_PROMPTS = 1024;

type Prompt = string | readonly number[];

/** Texts or ids to generate requests, one a prompt (`renderCompletion`). Throws a 400 or 404. */
export async function renderCompletion(
  body: CompletionRequest,
  headers: RenderHeaders,
  settings: RenderSettings,
): Promise<GenerateRequest[]> {
  checkCompletion(body);
  checkServed(body.model, settings);
  const prompts = promptsOf(body);
  const id = prefixedId('cmpl-', headers, body.request_id);
  const rendered: GenerateRequest[] = [];
  for (const [at, prompt] of prompts.entries()) {
    const requestId = prompts.length === 1 ? id : `${id}-${at}`;
    rendered.push(generateRequest(body, await promptFor(prompt, body, settings), requestId, settings));
  }
  return rendered;
}

function checkCompletion(body: CompletionRequest): void {
  if (body.prompt == null || body.prompt === '') {
    throw valueFault('prompt', 'prompt must be given, and not be empty.');
  }
  if (body.prompt.length === 0) throw valueFault(null, 'prompt must hold at least one prompt.');
  checkDelivery(body);
  if (body.logprob_token_ids?.length && body.logprobs == null) {
    throw valueFault('logprob_token_ids', 'logprob_token_ids need logprobs.');
  }
  if (body.max_tokens === 0 && !body.echo) {
    throw valueFault('max_tokens', 'max_tokens must be at least 1; 0 is for echo alone.');
  }
  if ((body.n ?? 1) > 1 && body.temperature === 0) {
    throw valueFault(null, `n must be 1 when temperature is 0, got ${body.n}.`);
  }
  if (body.suffix != null) {
    throw valueFault('suffix', 'suffix needs a model that fills in the middle; this one does not.');
  }
}

function promptsOf({ prompt }: CompletionRequest): readonly Prompt[] {
  if (typeof prompt === 'string') return [prompt];
  const list = prompt as readonly (string | number | readonly number[])[];
  if (typeof list[0] === 'number') return [list as readonly number[]];
  if (list.length > MAX_PROMPTS) {
    throw valueFault('prompt', `prompt holds ${list.length} prompts; at most ${MAX_PROMPTS} are allowed.`);
  }
  return list as readonly Prompt[];
}

async function promptFor(
  prompt: Prompt,
  body: CompletionRequest,
  settings: RenderSettings,
): Promise<RenderedPrompt> {
  const options: PromptOptions = {
    addSpecialTokens: body.add_special_tokens ?? true,
    withOffsets: body.return_token_offsets ?? false,
    truncateTo: body.truncate_prompt_tokens ?? null,
    truncationSide: body.truncation_side ?? 'left',
    outputTokens: { count: body.max_tokens ?? DEFAULT_MAX_TOKENS, field: 'max_tokens' },
  };
  return typeof prompt === 'string'
    ? promptOfText(prompt, options, settings)
    : promptOfIds(prompt, options, settings);
}

function generateRequest(
  body: CompletionRequest,
  { ids, offsets }: RenderedPrompt,
  requestId: string,
  settings: RenderSettings,
): GenerateRequest {
  const listed = body.logprob_token_ids?.length ? body.logprob_token_ids : null;
  const asked = body.max_tokens === 0 ? 1 : (body.max_tokens ?? DEFAULT_MAX_TOKENS);
  const source = {
    ...body,
    logprobs: listed ? null : body.logprobs,
    logprob_token_ids: listed,
    prompt_logprobs: body.prompt_logprobs ?? (body.echo ? body.logprobs : null),
    structured_outputs: structuredOutputsOf(body.structured_outputs, body.response_format),
    extra_args: null,
  };
  return {
    request_id: requestId,
    token_ids: ids,
    token_offsets: offsets,
    sampling_params: wireSampling(
      source,
      maxTokensFor(asked, ids.length, settings),
      settings.defaultSampling,
    ),
    ...deliveryFields(body),
  };
}
