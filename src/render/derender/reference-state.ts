import type { IncrementalDetokenizer } from '../../text/incremental.js';
import { CONTEXT_IDS } from '../../text/token-strings.js';
import { type Decoding, detokenizerAfter } from './decoding.js';
import { badState } from './stream-state.js';

const MAX_WINDOW = 1024;

/** The state that the reference gives its clients: a decoding window, or the whole output for a parser to read anew. */
export interface ReferenceState {
  prev_tokens: string[];
  read_offset: number;
  role_sent: boolean;
  logprob_context_token_ids: number[];
  logprob_text_offset: number;
  output_token_ids: number[];
  output_chunk_lens: number[];
  tools_streamed: boolean;
}

/** Read a state of the reference's. Throws a 400 for one that does not add up. */
export function readReferenceState(wire: Readonly<Record<string, unknown>>): ReferenceState {
  const state: ReferenceState = {
    prev_tokens: listOf(wire, 'prev_tokens', (token) => typeof token === 'string'),
    read_offset: countOf(wire, 'read_offset'),
    role_sent: flagOf(wire, 'role_sent'),
    logprob_context_token_ids: listOf(wire, 'logprob_context_token_ids', isCount),
    logprob_text_offset: countOf(wire, 'logprob_text_offset'),
    output_token_ids: listOf(wire, 'output_token_ids', isCount),
    output_chunk_lens: listOf(wire, 'output_chunk_lens', (length) => isCount(length) && length !== 0),
    tools_streamed: flagOf(wire, 'tools_streamed'),
  };
  countOf(wire, 'prefix_offset');
  listOf(wire, 'last_tool_call_ids', (id) => typeof id === 'string');
  if (state.prev_tokens.length > MAX_WINDOW) throw badState(`prev_tokens has over ${MAX_WINDOW} entries`);
  if (state.logprob_context_token_ids.length > CONTEXT_IDS) {
    throw badState(`logprob_context_token_ids has over ${CONTEXT_IDS} entries`);
  }
  const total = state.output_chunk_lens.reduce((sum, length) => sum + length, 0);
  if (total !== state.output_token_ids.length) {
    throw badState('output_chunk_lens must add up to the number of output_token_ids');
  }
  return state;
}

/** A detokenizer that goes on where the reference's window ends. */
export function resumeWindow(
  { prev_tokens, read_offset }: ReferenceState,
  decoding: Decoding,
): IncrementalDetokenizer {
  const ids = prev_tokens.map((token) => decoding.tokenizer.tokenToId(token) ?? -1);
  const detokenizer = detokenizerAfter(ids.slice(0, read_offset), decoding);
  for (const id of ids.slice(read_offset)) detokenizer.push(id);
  return detokenizer;
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function listOf<T>(
  wire: Readonly<Record<string, unknown>>,
  name: string,
  isOne: (value: unknown) => boolean,
): T[] {
  const value = wire[name] ?? [];
  if (!Array.isArray(value) || !value.every(isOne)) throw badState(`${name} is not what it should be`);
  return value as T[];
}

function countOf(wire: Readonly<Record<string, unknown>>, name: string): number {
  const value = wire[name] ?? 0;
  if (!isCount(value)) throw badState(`${name} must be an integer of at least 0`);
  return value as number;
}

function flagOf(wire: Readonly<Record<string, unknown>>, name: string): boolean {
  const value = wire[name] ?? false;
  if (typeof value !== 'boolean') throw badState(`${name} must be true or false`);
  return value;
}
