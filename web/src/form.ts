import type { ChatCompletionRequest, ChatMessage, GenerateRequest, Tool } from '../../generated/types.js';

export type Role = 'system' | 'user' | 'assistant' | 'tool';

/** A turn as it is edited. */
export interface Draft {
  readonly key: number;
  readonly role: Role;
  readonly content: string;
  /** Of a tool's turn: which call it answers. */
  readonly callId?: string;
  /** Of an answer that was taken over: what the text field does not show. */
  readonly more?: Pick<ChatMessage, 'tool_calls' | 'reasoning'>;
}

/** Sampling fields as typed; an empty one leaves the server its default. */
export interface SamplingFields {
  readonly temperature: string;
  readonly topP: string;
  readonly maxTokens: string;
  readonly seed: string;
  readonly alternatives: string;
  readonly stop: string;
}

/** A field that can't be sent, and why. */
export class FieldError extends Error {
  override readonly name = 'FieldError';
}

/** The chat to render. Throws a FieldError. */
export function chatRequest(
  drafts: readonly Draft[],
  tools: string,
  fields: SamplingFields,
): ChatCompletionRequest {
  const { logprobs, ...sampling } = samplingOf(fields);
  const given = toolsOf(tools);
  return {
    messages: drafts.map(messageOf),
    ...(given && { tools: given }),
    ...sampling,
    ...(logprobs !== undefined && { logprobs: true, top_logprobs: logprobs }),
  };
}

/** The ids to go on from. Throws a FieldError. */
export function idsRequest(text: string, fields: SamplingFields): GenerateRequest {
  return { token_ids: idsOf(text), sampling_params: samplingOf(fields) };
}

function messageOf({ role, content, callId, more }: Draft): ChatMessage {
  return {
    role,
    content: content === '' && more?.tool_calls ? null : content,
    ...(role === 'tool' && callId && { tool_call_id: callId }),
    ...more,
  };
}

/** Ids between spaces, commas or line breaks, brackets around them or not. Throws a FieldError. */
export function idsOf(text: string): number[] {
  const pieces = text
    .replace(/^\s*\[|\]\s*$/g, '')
    .split(/[\s,]+/)
    .filter((piece) => piece !== '');
  if (pieces.length === 0)
    throw new FieldError('Token ids are missing. Write at least one, such as: 504, 3575, 282.');
  return pieces.map((piece) => {
    if (!/^\d+$/.test(piece)) {
      throw new FieldError(
        `“${piece.slice(0, 40)}” is not a token id. Ids are whole numbers from 0, with spaces or commas between them.`,
      );
    }
    return Number(piece);
  });
}

/** Tools as a JSON list; undefined when nothing is written. Throws a FieldError. */
export function toolsOf(text: string): Tool[] | undefined {
  if (text.trim() === '') return undefined;
  let tools: unknown;
  try {
    tools = JSON.parse(text);
  } catch (error) {
    throw new FieldError(`Tools are not JSON: ${(error as Error).message}`);
  }
  if (!Array.isArray(tools)) throw new FieldError('Tools are a JSON list: put [ ] around them.');
  return tools.length > 0 ? (tools as Tool[]) : undefined;
}

/** What chat requests and sampling params have under the same names. */
interface Sampling {
  temperature?: number;
  top_p?: number;
  max_tokens?: number;
  seed?: number;
  stop?: string[];
  /** How many of the likeliest tokens to report. */
  logprobs?: number;
}

function samplingOf(fields: SamplingFields): Sampling {
  const temperature = numberOf('Temperature', fields.temperature);
  const top_p = numberOf('Top p', fields.topP);
  const max_tokens = integerOf('Max tokens', fields.maxTokens);
  const seed = integerOf('Seed', fields.seed);
  const logprobs = integerOf('Alternatives', fields.alternatives);
  const stop = fields.stop.split('\n').filter((text) => text !== '');
  return {
    ...(temperature !== undefined && { temperature }),
    ...(top_p !== undefined && { top_p }),
    ...(max_tokens !== undefined && { max_tokens }),
    ...(seed !== undefined && { seed }),
    ...(stop.length > 0 && { stop }),
    ...(logprobs !== undefined && { logprobs }),
  };
}

function numberOf(label: string, text: string): number | undefined {
  if (text.trim() === '') return undefined;
  const value = Number(text);
  if (!Number.isFinite(value)) throw new FieldError(`${label} is not a number: “${text}”.`);
  return value;
}

function integerOf(label: string, text: string): number | undefined {
  const value = numberOf(label, text);
  if (value === undefined) return undefined;
  if (!Number.isSafeInteger(value)) {
    throw new FieldError(`${label} is a whole number between −2⁵³ and 2⁵³ here: “${text}” is not.`);
  }
  return value;
}
