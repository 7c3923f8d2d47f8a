import type {
  ChatCompletionRequest,
  GenerateRequest,
  ResponseFormat,
  ResponsesRequest,
  Tool,
} from '../../generated/types.js';
import { ApiError, valueFault } from '../errors.js';
import { callerId } from '../request-ids.js';
import { generateRequestOf, planChat } from './chat-request.js';
import { checkServed, freshId } from './request-fields.js';
import { conversationFromItems, isUnfinished } from './response-items.js';
import type { RenderSettings } from './settings.js';

const LOGPROBS = 'message.output_text.logprobs';

/** A Responses request to a generate request (`renderResponse`). Throws a 400 or 404. */
export async function renderResponse(
  body: ResponsesRequest,
  settings: RenderSettings,
): Promise<GenerateRequest> {
  const chat = chatOf(body);
  checkServed(body.model, settings);
  if (body.previous_response_id != null) {
    throw new ApiError(
      400,
      'invalid_request_error',
      'previous_response_id is not supported: nothing is stored here. Send the whole conversation as input.',
      'previous_response_id',
    );
  }
  const id = body.request_id === undefined ? freshId('resp_') : callerId(undefined, body.request_id);
  const rendered = await generateRequestOf(chat, planChat(chat, settings), id, settings, 'max_output_tokens');
  return { ...rendered, reasoning_ended: null };
}

/** The same request as a chat. Throws a 400. */
function chatOf(body: ResponsesRequest): ChatCompletionRequest {
  const { input, instructions, tools } = body;
  const goesOn = typeof input !== 'string' && isUnfinished(input);
  const turns = typeof input === 'string' ? [{ role: 'user', content: input }] : conversationFromItems(input);
  const system = instructions ? [{ role: 'system', content: instructions }] : [];
  if (body.structured_outputs && body.text?.format) {
    throw valueFault('structured_outputs', 'structured_outputs and text.format exclude each other.');
  }
  const functions = (tools ?? []).flatMap(functionTool);
  return {
    ...body,
    messages: [...system, ...turns] as ChatCompletionRequest['messages'],
    max_tokens: body.max_output_tokens ?? null,
    tools: functions.length > 0 ? functions : null,
    tool_choice: toolChoice(body, functions),
    response_format: formatOf(body.text),
    logprobs: body.include?.includes(LOGPROBS) ?? false,
    top_logprobs: body.include?.includes(LOGPROBS) ? (body.top_logprobs ?? 0) : 0,
    reasoning_effort: (body.reasoning?.effort ?? null) as ChatCompletionRequest['reasoning_effort'] & string,
    add_generation_prompt: !goesOn,
    continue_final_message: goesOn,
    add_special_tokens: true,
    truncate_prompt_tokens:
      (body.truncation === undefined ? 'disabled' : body.truncation) === 'disabled' ? null : -1,
  } as ChatCompletionRequest;
}

function functionTool(tool: NonNullable<ResponsesRequest['tools']>[number]): Tool[] {
  const { type, name, description, parameters, strict } = tool;
  if (type !== 'function' || name === undefined) return [];
  return [
    {
      type: 'function',
      function: {
        name,
        description: description ?? null,
        parameters: parameters ?? null,
        strict: strict ?? null,
      },
    },
  ];
}

function toolChoice(
  { tool_choice: asked }: ResponsesRequest,
  tools: readonly Tool[],
): NonNullable<ChatCompletionRequest['tool_choice']> {
  if (asked === 'none') return 'none';
  if (asked === undefined || asked === null || asked === 'auto') return tools.length > 0 ? 'auto' : 'none';
  if (asked === 'required') {
    if (tools.length > 0) return 'required';
    throw valueFault('tool_choice', 'tool_choice "required" needs tools.');
  }
  if (asked.name === undefined || !tools.some((tool) => tool.function.name === asked.name)) {
    throw valueFault('tool_choice', `tool_choice names "${asked.name}", which is not among the tools.`);
  }
  return { type: 'function', function: { name: asked.name } };
}

function formatOf(text: ResponsesRequest['text']): ResponseFormat | null {
  const format = text?.format;
  if (!format) return null;
  if (format.type !== 'json_schema') return { type: format.type };
  if (!format.schema) return null;
  return { type: 'json_schema', json_schema: { name: format.name ?? '', schema: format.schema } };
}
