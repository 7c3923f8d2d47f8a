import { stringify } from 'lossless-json';
import type { ChatCompletionRequest, GenerateRequest, MessagesRequest, Tool } from '../../generated/types.js';
import { checkChat, generateRequestOf, planChat } from './chat-request.js';
import { checkServed, prefixedId, type RenderHeaders } from './request-fields.js';
import type { RenderSettings } from './settings.js';
import { checkParsersFor } from './tool-choice.js';

type Turn = MessagesRequest['messages'][number];
type Block = Exclude<Turn['content'], string>[number];
type ChatTurn = Record<string, unknown>;

/** Names a client's build anew with every request, so prompts that keep it share no prefix. */
const BILLING_HEADER = 'x-anthropic-billing-header';

/** A Messages request to a generate request (`renderMessage`). Throws a 400 or 404. */
export async function renderMessage(
  body: MessagesRequest,
  headers: RenderHeaders,
  settings: RenderSettings,
): Promise<GenerateRequest> {
  const chat = chatOf(body);
  checkChat(chat);
  const plan = planChat(chat, settings);
  checkServed(body.model, settings);
  checkParsersFor(plan.choice, settings.parsers);
  return generateRequestOf(chat, plan, prefixedId('chatcmpl-', headers, undefined), settings);
}

/** The same request as a chat. */
function chatOf(body: MessagesRequest): ChatCompletionRequest {
  const { thinking, output_config: output } = body;
  const effort = output?.effort ?? (thinking?.type === 'disabled' ? 'none' : null);
  const schema = output?.format?.json_schema ?? output?.format?.schema;
  return {
    messages: [
      ...systemTurn(body.system),
      ...body.messages.flatMap(turnsOf),
    ] as ChatCompletionRequest['messages'],
    model: body.model ?? null,
    max_tokens: body.max_tokens,
    temperature: body.temperature ?? null,
    top_p: body.top_p ?? null,
    top_k: body.top_k ?? null,
    stop: body.stop_sequences ?? null,
    stream: body.stream ?? false,
    stream_options: body.stream ? { include_usage: true, continuous_usage_stats: true } : null,
    tools: body.tools?.length ? body.tools.map(functionTool) : null,
    tool_choice: toolChoice(body),
    parallel_tool_calls: !body.tool_choice?.disable_parallel_tool_use,
    thinking_token_budget: thinking?.type === 'enabled' ? (thinking.budget_tokens ?? null) : null,
    reasoning_effort: effort,
    response_format: schema ? { type: 'json_schema', json_schema: { name: 'json_schema', schema } } : null,
    chat_template_kwargs: body.chat_template_kwargs ?? null,
    cache_salt: body.cache_salt ?? null,
    kv_transfer_params: body.kv_transfer_params ?? null,
    ec_transfer_params: body.ec_transfer_params ?? null,
  };
}

function systemTurn(system: MessagesRequest['system']): ChatTurn[] {
  const text = typeof system === 'string' ? system : textsOf(system ?? []).join('');
  return text === '' ? [] : [{ role: 'system', content: text }];
}

/** Texts of blocks, without empty ones and headers that change with every request. */
function textsOf(blocks: readonly Block[]): string[] {
  return blocks.flatMap(({ type, text }) =>
    type === 'text' && text && !text.startsWith(BILLING_HEADER) ? [text] : [],
  );
}

/** A turn of the Messages API as turns of a chat: each tool result becomes one of its own, before the rest. */
function turnsOf({ role, content }: Turn): ChatTurn[] {
  if (role === 'system') {
    const text = typeof content === 'string' ? textsOf([{ type: 'text', text: content }]) : textsOf(content);
    return text.length > 0 ? [{ role, content: text.join('') }] : [];
  }
  if (typeof content === 'string') return [{ role, content }];
  const results = role === 'user' ? content.filter(({ type }) => type === 'tool_result').map(resultTurn) : [];
  const turn = turnOfBlocks(role, content);
  const isEmpty = role === 'user' && !('content' in turn);
  return isEmpty ? results : [...results, turn];
}

function turnOfBlocks(role: string, blocks: readonly Block[]): ChatTurn {
  const turn: ChatTurn = { role };
  const thoughts = blocks.flatMap(({ type, thinking }) =>
    type === 'thinking' && thinking != null ? [thinking] : [],
  );
  const calls = blocks.filter(({ type }) => type === 'tool_use').map(callOf);
  const parts = blocks.flatMap((block) => partsOf(block, role));
  if (thoughts.length > 0) turn.reasoning = thoughts.join('');
  if (calls.length > 0) turn.tool_calls = calls;
  if (parts.length > 0) turn.content = parts;
  return turn;
}

function partsOf(block: Block, role: string): object[] {
  if (block.type === 'text' && block.text) return [{ type: 'text', text: block.text }];
  if (block.type === 'image') return [{ type: 'image_url', image_url: block.source ?? {} }];
  if (block.type === 'tool_result' && role !== 'user') {
    return [{ type: 'text', text: `Tool result: ${resultText(block)}` }];
  }
  return [];
}

function callOf({ id, name, input }: Block): object {
  return {
    id: id ?? '',
    type: 'function',
    function: { name: name ?? '', arguments: stringify(input ?? {}) },
  };
}

function resultTurn(block: Block): ChatTurn {
  return { role: 'tool', tool_call_id: block.tool_use_id ?? '', content: resultText(block) };
}

function resultText({ content }: Block): string {
  if (content == null) return '';
  if (typeof content === 'string') return content;
  return content.flatMap(({ type, text }) => (type === 'text' ? [String(text ?? '')] : [])).join('\n');
}

function functionTool({
  name,
  description,
  input_schema,
  strict,
}: NonNullable<MessagesRequest['tools']>[number]): Tool {
  return {
    type: 'function',
    function: {
      name,
      description: description ?? null,
      parameters: input_schema ?? null,
      strict: strict ?? null,
    },
  };
}

function toolChoice({
  tool_choice: asked,
  tools,
}: MessagesRequest): NonNullable<ChatCompletionRequest['tool_choice']> {
  switch (asked?.type) {
    case 'auto':
    case 'none':
      return asked.type;
    case 'any':
      return 'required';
    case 'tool':
      return { type: 'function', function: { name: asked.name ?? '' } };
    case undefined:
      return tools?.length ? 'auto' : 'none';
  }
}
