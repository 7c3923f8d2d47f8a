import type { ChatCompletionRequest, GenerateRequest } from '../../generated/types.js';
import { valueFault } from '../errors.js';
import { type Chat, chatText } from './chat-text.js';
import type { WireMessage } from './conversation.js';
import { maxTokensFor } from './max-tokens.js';
import { type PromptOptions, promptOfText, textTools } from './prompt.js';
import {
  checkDelivery,
  checkServed,
  deliveryFields,
  prefixedId,
  type RenderHeaders,
} from './request-fields.js';
import type { RenderSettings } from './settings.js';
import { structuredOutputsOf } from './structured-outputs.js';
import { checkParsersFor, forcedCalls, type ToolChoice, toolChoiceOf } from './tool-choice.js';
import { toolDefinitions } from './tool-definitions.js';
import { type SamplingSource, wireSampling } from './wire-sampling.js';

/** A chat, understood: what its prompt is made from, and which calls it allows. */
export interface ChatPlan {
  chat: Chat;
  choice: ToolChoice;
}

/** A chat to a generate request (`renderChat`). Throws a 400 or 404. */
export async function renderChat(
  body: ChatCompletionRequest,
  headers: RenderHeaders,
  settings: RenderSettings,
): Promise<GenerateRequest> {
  checkChat(body);
  const plan = planChat(body, settings);
  checkServed(body.model, settings);
  checkParsersFor(plan.choice, settings.parsers);
  return generateRequestOf(body, plan, prefixedId('chatcmpl-', headers, body.request_id), settings);
}

/** The generate request of a chat that was checked. */
export async function generateRequestOf(
  body: ChatCompletionRequest,
  plan: ChatPlan,
  requestId: string,
  settings: RenderSettings,
  outputField = body.max_completion_tokens == null ? 'max_tokens' : 'max_completion_tokens',
): Promise<GenerateRequest> {
  const text = chatText(plan.chat, textTools(settings).templates);
  const prompt = await promptOfText(text, promptOptions(body, outputField), settings);
  const maxTokens = maxTokensFor(
    body.max_completion_tokens ?? body.max_tokens ?? null,
    prompt.ids.length,
    settings,
  );
  return {
    request_id: requestId,
    token_ids: prompt.ids,
    token_offsets: prompt.offsets,
    sampling_params: wireSampling(
      samplingOf(body, plan.choice, settings),
      maxTokens,
      settings.defaultSampling,
    ),
    ...reasoningFields(body, plan.chat, text, settings),
    ...deliveryFields(body),
  };
}

/** Rules between the fields of a chat that a schema can't say. Throws a 400. */
export function checkChat(body: ChatCompletionRequest): void {
  checkDelivery(body);
  if (body.logprob_token_ids?.length && !body.logprobs) {
    throw valueFault('logprob_token_ids', 'logprob_token_ids need logprobs: true.');
  }
  if ((body.top_logprobs ?? 0) !== 0 && !body.logprobs) {
    throw valueFault('top_logprobs', 'top_logprobs need logprobs: true.');
  }
  const shapes = [
    body.structured_outputs?.json,
    body.structured_outputs?.regex,
    body.structured_outputs?.choice,
  ];
  if (shapes.filter((shape) => shape != null).length > 1) {
    throw valueFault(null, 'structured_outputs takes one of json, regex and choice.');
  }
  if (body.continue_final_message && body.add_generation_prompt !== false) {
    throw valueFault(
      null,
      'continue_final_message and add_generation_prompt exclude each other: set add_generation_prompt to false.',
    );
  }
  if ((body.n ?? 1) > 1 && body.temperature === 0) {
    throw valueFault(null, `n must be 1 when temperature is 0, got ${body.n}.`);
  }
}

/** What the prompt of a chat is made from. Throws a 400. */
export function planChat(body: ChatCompletionRequest, settings: RenderSettings): ChatPlan {
  const choice = toolChoiceOf(body);
  return {
    choice,
    chat: {
      messages: body.messages as readonly WireMessage[],
      tools: toolDefinitions(body.tools ?? null),
      addGenerationPrompt: body.add_generation_prompt ?? true,
      continueFinalMessage: body.continue_final_message ?? false,
      template: body.chat_template ?? null,
      variables: templateVariables(body, settings),
    },
  };
}

function templateVariables(
  body: ChatCompletionRequest,
  { text }: RenderSettings,
): Readonly<Record<string, unknown>> {
  const { reasoning_effort: effort, documents, chat_template_kwargs: own } = body;
  const thinking =
    effort != null && !(own && 'enable_thinking' in own) ? { enable_thinking: effort !== 'none' } : {};
  return {
    ...text?.templates.variables,
    ...given({ ...own, documents, reasoning_effort: effort, ...thinking }),
  };
}

/** Null and "auto" are the same as absent. */
function given(variables: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(variables).filter(([, value]) => value != null && value !== 'auto'),
  );
}

function promptOptions(body: ChatCompletionRequest, field: string): PromptOptions {
  const count = body.max_completion_tokens ?? body.max_tokens ?? null;
  return {
    addSpecialTokens: body.add_special_tokens ?? false,
    withOffsets: body.return_token_offsets ?? false,
    truncateTo: body.truncate_prompt_tokens ?? null,
    truncationSide: body.truncation_side ?? 'left',
    outputTokens: count === null ? null : { count, field },
  };
}

function samplingOf(
  body: ChatCompletionRequest,
  choice: ToolChoice,
  { parsers }: RenderSettings,
): SamplingSource {
  const listed = body.logprob_token_ids?.length ? body.logprob_token_ids : null;
  const topLogprobs = body.top_logprobs ?? 0;
  const forced =
    parsers.tool &&
    forcedCalls({
      tools: body.tools ?? [],
      choice,
      parallel: body.parallel_tool_calls !== false,
      syntax: parsers.tool.callSyntax,
    });
  const { tool, reasoning } = parsers;
  const readsCalls = (body.tools && choice !== 'none') || (tool?.alwaysReads && reasoning);
  const readsMarkers = (readsCalls && tool?.needsSpecialTokens) || reasoning?.needsSpecialTokens;
  return {
    ...body,
    logprobs: body.logprobs && !listed ? topLogprobs : null,
    logprob_token_ids: listed,
    prompt_logprobs: body.prompt_logprobs ?? (body.echo ? topLogprobs : null),
    structured_outputs: forced || structuredOutputsOf(body.structured_outputs, body.response_format),
    skip_special_tokens: readsMarkers ? false : (body.skip_special_tokens ?? null),
    extra_args: null,
  };
}

function reasoningFields(
  body: ChatCompletionRequest,
  { addGenerationPrompt, continueFinalMessage, variables }: Chat,
  prompt: string,
  { parsers }: RenderSettings,
): Partial<GenerateRequest> {
  const { reasoning } = parsers;
  const ended = (): boolean | null =>
    reasoning?.hasEnded(reasoning.start({ prompt, templateKwargs: variables })) ?? null;
  return {
    reasoning_ended: body.include_reasoning === false ? true : ended(),
    reasoning_parser_kwargs: reasoning && {
      chat_template_kwargs: {
        ...variables,
        add_generation_prompt: addGenerationPrompt,
        continue_final_message: continueFinalMessage,
      },
    },
  };
}
