import { createHash } from 'node:crypto';
import type { AssistantMessage, ChatCompletionRequest, ToolCall } from '../../../generated/types.js';
import type { Json, MessagePiece, ReasoningContext, ToolCallPiece, ToolPiece } from '../parsers/parser.js';
import type { OutputParsers } from '../settings.js';
import { type ToolChoice, toolChoiceOf } from '../tool-choice.js';

/** Where the parsing of one sequence stands. */
export interface ParserState {
  /** Null without a reasoning parser. */
  reasoning: Json;
  /** Null where no calls are looked for. */
  tool: Json;
}

/** Splits a chat's outputs into reasoning, content and tool calls, as its request says. */
export class MessageParser {
  readonly #choice: ToolChoice;
  readonly #readsCalls: boolean;

  constructor(
    private readonly parsers: OutputParsers,
    private readonly request: ChatCompletionRequest,
  ) {
    this.#choice = toolChoiceOf(request);
    this.#readsCalls =
      parsers.tool !== null && this.#choice !== 'none' && (this.#choice !== 'auto' || parsers.autoToolChoice);
  }

  /** Calls change the finish reason, but not where one function was asked for by name. */
  get callsEndTheTurn(): boolean {
    return typeof this.#choice === 'string';
  }

  start(context: ReasoningContext): ParserState {
    const { tool, reasoning } = this.parsers;
    return {
      reasoning: reasoning?.start(context) ?? null,
      tool: this.#readsCalls ? tool!.start() : null,
    };
  }

  /** What a piece of output adds; `isLast` also gives what was held back. */
  push(
    state: ParserState,
    text: string,
    isLast: boolean,
  ): { piece: MessagePiece; state: ParserState; sawCalls: boolean } {
    const { piece: thought, state: reasoning } = this.#think(state.reasoning, text, isLast);
    const { piece: said, state: tool } = this.#call(state.tool, thought.rest ?? '', isLast);
    const toolCalls =
      this.request.parallel_tool_calls === false
        ? said.toolCalls.filter(({ index }) => index === 0)
        : said.toolCalls;
    return {
      piece: { reasoning: this.#shown(thought.reasoning), content: said.content, toolCalls },
      state: { reasoning, tool },
      sawCalls: said.toolCalls.length > 0,
    };
  }

  /** A whole output. */
  whole(text: string, context: ReasoningContext, callIds: CallIds): AssistantMessage {
    const { tool, reasoning } = this.parsers;
    const thought = reasoning ? reasoning.whole(text, context) : { reasoning: null, rest: text };
    const rest = thought.rest;
    const found = this.#readsCalls
      ? tool!.whole(rest ?? '', this.request.tools ?? [])
      : { content: rest, toolCalls: [] };
    const calls = found.toolCalls.map(
      ({ name, arguments: sent }, index): ToolCall => ({
        id: callIds(index),
        type: 'function',
        function: { name, arguments: sent },
      }),
    );
    const isForced = this.#choice === 'required' || typeof this.#choice !== 'string';
    const isBlank = calls.length > 0 && found.content?.trim() === '';
    const content = isBlank || found.content === '' ? null : found.content;
    return {
      role: 'assistant',
      content: isForced ? (content ?? '') : content,
      reasoning: this.#shown(thought.reasoning),
      ...(calls.length > 0 && { tool_calls: calls }),
    };
  }

  #shown(reasoning: string | null): string | null {
    return this.request.include_reasoning === false ? null : reasoning;
  }

  #think(state: Json, text: string, isLast: boolean) {
    const { reasoning } = this.parsers;
    if (!reasoning) return { piece: { reasoning: null, rest: text }, state };
    const step = reasoning.push(state, text);
    if (!isLast) return step;
    const last = reasoning.end(step.state);
    return {
      piece: {
        reasoning: joined(step.piece.reasoning, last.reasoning),
        rest: joined(step.piece.rest, last.rest),
      },
      state: step.state,
    };
  }

  #call(state: Json, text: string, isLast: boolean): { piece: ToolPiece; state: Json } {
    const { tool } = this.parsers;
    if (!this.#readsCalls) return { piece: { content: text || null, toolCalls: [] }, state };
    const tools = this.request.tools ?? [];
    const step = tool!.push(state, text, tools);
    if (!isLast) return step;
    const last = tool!.end(step.state, tools);
    return {
      piece: {
        content: joined(step.piece.content, last.content),
        toolCalls: [...step.piece.toolCalls, ...last.toolCalls],
      },
      state: step.state,
    };
  }
}

function joined(first: string | null, second: string | null): string | null {
  return first === null && second === null ? null : (first ?? '') + (second ?? '');
}

/** The id of a message's tool call. */
export type CallIds = (index: number) => string;

/** Ids that are the same whenever the same output is derendered, and of no other call. */
export function callIdsOf(requestId: string, choice: number): CallIds {
  return (index) => {
    const hash = createHash('sha256')
      .update(JSON.stringify([requestId, choice, index]))
      .digest('hex');
    return `chatcmpl-tool-${hash.slice(0, 16)}`;
  };
}

/** Pieces of calls in the contract's shape; the piece that begins a call carries its id. */
export function wireCalls(pieces: readonly ToolCallPiece[], callIds: CallIds): ToolCall[] {
  return pieces.map(({ index, name, arguments: sent }) => ({
    id: name === null ? null : callIds(index),
    type: name === null ? null : 'function',
    index,
    function: { name, arguments: sent },
  }));
}
