import { schemaFault } from '../../errors.js';
import type { DetokenizerState } from '../../text/incremental.js';
import { CONTEXT_IDS } from '../../text/token-strings.js';
import type { ParserState } from './message-parser.js';

/** What a streamed derender remembers of one sequence between two calls. It goes to the client and comes back. */
export interface StreamState {
  detokenizer: DetokenizerState;
  /** Null on a server without parsers, and for completions. */
  parser: ParserState | null;
  roleSent: boolean;
  /** Whether a tool call began. */
  sawCalls: boolean;
  /** Sampled ids that pieces of characters in logprobs may need. */
  context: number[];
  /** Characters of text so far. */
  offset: number;
  /** Output tokens so far. */
  tokens: number;
  promptTokens: number;
}

const VERSION = 1;
/** Larger than any state of a parser; tool calls without a name are held up to 4,096 characters. */
const MAX_SIZE = 16_384;

type Wire = Record<string, unknown>;

/** The state as it travels. */
export function wireState(state: StreamState): Wire {
  return { version: VERSION, ...state };
}

/** Whether this is a state of ours; others are the reference's. */
export function isOwn(wire: Wire): boolean {
  return 'version' in wire;
}

/** Read a state that came back. Throws a 400 when it is not one that a call of this version gave. */
export function readState(wire: Wire): StreamState {
  const { version, ...state } = wire;
  if (version !== VERSION || JSON.stringify(state).length > MAX_SIZE || !isState(state)) throw badState();
  return state;
}

/** A state that does not add up. */
export function badState(why = 'send back what the call before answered'): Error {
  return schemaFault('body.stream_state', `stream_state is not valid: ${why}.`);
}

function isState(state: Wire): state is Wire & StreamState {
  const { detokenizer, parser, roleSent, sawCalls, context, offset, tokens, promptTokens } = state;
  return (
    isDetokenizerState(detokenizer) &&
    (parser === null || isParserState(parser)) &&
    typeof roleSent === 'boolean' &&
    typeof sawCalls === 'boolean' &&
    areCounts(context) &&
    context.length <= CONTEXT_IDS &&
    areCounts([offset, tokens, promptTokens])
  );
}

function isDetokenizerState(value: unknown): value is DetokenizerState {
  if (value === null || typeof value !== 'object') return false;
  const { held, open, fresh } = value as Wire;
  return (
    typeof held === 'string' &&
    areCounts(open) &&
    open.length <= 3 &&
    open.every((byte) => byte < 256) &&
    typeof fresh === 'boolean'
  );
}

function isParserState(value: unknown): value is ParserState {
  return value !== null && typeof value === 'object' && 'reasoning' in value && 'tool' in value;
}

function areCounts(value: unknown): value is number[] {
  return Array.isArray(value) && value.every((count) => Number.isSafeInteger(count) && count >= 0);
}
