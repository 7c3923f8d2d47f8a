import { createHash } from 'node:crypto';
import type { AssistantMessage, ChatCompletionRequest, ToolCall } from '../../../generated/types.js';
import { forcedJson } from '../parsers/forced-json.js';
import type {
  Json,
  MessagePiece,
  ReasoningContext,
  ToolCallPiece,
  ToolParser,
  ToolPiece,
} from '../parsers/parser.js';
import type { OutputParsers } from '../settings.js';
import { type ToolChoice, toolChoiceOf } from '../tool-choice.js';

/** Where the parsing of one sequence stands. */
export interface ParserState {
  /** Null without a reasoning parser. */
  reasoning: Json;
  /** Null where nothing is looked for in what is not reasoning. */
  tool: Json;
}

/** Splits a chat's outputs into reasoning, content and tool calls, as its request says. */
export class MessageParser {
  readonly #choice: ToolChoice;
  readonly #readsCalls: boolean;
  /** Null = what is not reasoning is content. */
  readonly #reader: ToolParser | null;

  constructor(
    private readonly parsers: OutputParsers,
    private readonly request: ChatCompletionRequest,
  ) {
    this.#choice = toolChoiceOf(request);
    this.#readsCalls =
      parsers.tool !== null && this.#choice !== 'none' && (this.#choice !== 'auto' || parsers.autoToolChoice);
    this.#reader = this.#readerOf(parsers);
  }

  /** Calls that have to be made are JSON where a family's own syntax has no grammar. */
  #readerOf({ tool, reasoning }: OutputParsers): ToolParser | null {
    const isForced = this.#readsCalls && this.#choice !== 'auto';
    if (isForced && tool!.callSyntax === null) return forcedJson(this.#choice);
    return this.#readsCalls || tool?.alwaysReads ? tool : (reasoning?.restReader ?? null);
  }

  /** Calls change the finish reason, but not where one function was asked for by name. */
  get callsEndTheTurn(): boolean {
    return typeof this.#choice === 'string';
  }

  start(context: ReasoningContext): ParserState {
    return {
      reasoning: this.parsers.reasoning?.start(context) ?? null,
      tool: this.#reader?.start() ?? null,
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
    const toolCalls = said.toolCalls.filter(({ index }) => this.#keeps(index));
    return {
      piece: { reasoning: this.#shown(thought.reasoning), content: said.content, toolCalls },
      state: { reasoning, tool },
      sawCalls: toolCalls.length > 0,
    };
  }

  /** A whole output. */
  whole(text: string, context: ReasoningContext, callIds: CallIds): AssistantMessage {
    const { reasoning } = this.parsers;
    const thought = reasoning ? reasoning.whole(text, context) : { reasoning: null, rest: text };
    const rest = thought.rest;
    const found = this.#reader?.whole(rest ?? '', this.request.tools ?? []) ?? {
      content: rest,
      toolCalls: [],
    };
    const calls = (this.#readsCalls ? found.toolCalls : []).map(
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

  #keeps(index: number): boolean {
    return this.#readsCalls && (this.request.parallel_tool_calls !== false || index === 0);
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
    if (!this.#reader) return { piece: { content: text || null, toolCalls: [] }, state };
    const tools = this.request.tools ?? [];
    const step = this.#reader.push(state, text, tools);
    if (!isLast) return step;
    const last = this.#reader.end(step.state, tools);
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
