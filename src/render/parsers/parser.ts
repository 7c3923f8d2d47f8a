import type { Tool } from '../../../generated/types.js';

/** What JSON can hold: a parser's state goes to the client and comes back with the next chunk. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** What a piece of output adds to a message. Parts that it adds nothing to are null; joined in order, pieces give the message. */
export interface MessagePiece {
  reasoning: string | null;
  content: string | null;
  toolCalls: readonly ToolCallPiece[];
}

/** A piece of one tool call. The piece with a name begins the call. */
export interface ToolCallPiece {
  /** Which call of the message, from 0. */
  index: number;
  name: string | null;
  /** A part of the arguments' JSON text. */
  arguments: string | null;
}

/** A whole tool call. */
export interface ParsedToolCall {
  name: string;
  /** JSON text. */
  arguments: string;
}

/** What is known before the first output text. */
export interface ReasoningContext {
  /** The prompt's text, special tokens included; it may have opened or closed reasoning. */
  prompt: string;
  /** `chat_template_kwargs` of the request, such as `enable_thinking`. */
  templateKwargs: Readonly<Record<string, unknown>>;
}

/** A step of a state machine: what the text added, and the state after it. The state before is not changed. */
export interface Step<Piece, State extends Json> {
  piece: Piece;
  state: State;
}

/**
 * Tells reasoning from the rest of an output. A state machine over text whose state is a small JSON value: a push
 * costs as much as its text is long, whatever came before.
 */
export interface ReasoningParser<State extends Json = Json> {
  /** Its markers are special tokens: output has to be decoded with them. */
  readonly needsSpecialTokens: boolean;
  /** Reads the content in what is not reasoning where no calls are looked for; absent = all of it is content. */
  readonly restReader?: ToolParser;
  start(context: ReasoningContext): State;
  /** Whether reasoning is over: what comes is content. */
  hasEnded(state: State): boolean;
  /** Text of the output, in pieces cut anywhere. Text that may yet be part of a marker is held back in the state. */
  push(state: State, text: string): Step<ReasoningPiece, State>;
  /** What was held back, once the output has ended. */
  end(state: State): ReasoningPiece;
  /** A whole output at once. */
  whole(text: string, context: ReasoningContext): ReasoningPiece;
}

export interface ReasoningPiece {
  reasoning: string | null;
  /** What is not reasoning: content, or tool calls for a tool parser to read. */
  rest: string | null;
}

/** Finds tool calls in an output. The same kind of state machine. */
export interface ToolParser<State extends Json = Json> {
  readonly needsSpecialTokens: boolean;
  /** It reads the content of outputs without calls, too: they are not content as they are. */
  readonly alwaysReads?: boolean;
  /** How calls are written, for a grammar that allows nothing else; null = forced calls are a JSON list instead. */
  readonly callSyntax: CallSyntax | OwnCallSyntax | null;
  start(): State;
  /** `tools` are the request's, the same with each push: they are no part of the state. */
  push(state: State, text: string, tools: readonly Tool[]): Step<ToolPiece, State>;
  end(state: State, tools: readonly Tool[]): ToolPiece;
  /** A whole output at once; calls that are not well-formed stay content. */
  whole(
    text: string,
    tools: readonly Tool[],
  ): { content: string | null; toolCalls: readonly ParsedToolCall[] };
}

export interface ToolPiece {
  content: string | null;
  toolCalls: readonly ToolCallPiece[];
}

/** The text around the arguments of a call. */
export interface CallSyntax {
  /** What every call begins with. */
  trigger: string;
  /** Ways to write a call of this function; between begin and end are the arguments as JSON. */
  envelopes(functionName: string): ReadonlyArray<{ begin: string; end: string }>;
}

/** How calls are written where they are more than JSON between two texts. */
export interface OwnCallSyntax {
  /** Calls are held to it even where they need not be made and no tool is strict. */
  isAlwaysHeld?: boolean;
  /** XGrammar's format of an output with these calls. */
  format(asked: AskedCalls): object;
}

/** The calls that a grammar is for. */
export interface AskedCalls {
  /** Those that may be called: one of them if `named`. */
  tools: readonly Tool[];
  choice: 'auto' | 'required' | 'named';
  /** One call at most. */
  isSingle: boolean;
}
