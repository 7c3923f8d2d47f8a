import type { ChatCompletionRequest, DerenderableChoice } from '../../../generated/types.js';
import { valueFault } from '../../errors.js';
import { IncrementalDetokenizer } from '../../text/incremental.js';
import type { MessagePiece } from '../parsers/parser.js';
import type { RenderSettings } from '../settings.js';
import { reasoningContext } from './chat.js';
import { type Decoding, detokenizerAfter, visibleIds } from './decoding.js';
import { nextContext } from './logprobs.js';
import type { MessageParser, ParserState } from './message-parser.js';
import { readReferenceState, resumeWindow } from './reference-state.js';
import { badState, isOwn, readState, type StreamState } from './stream-state.js';

/** What is given beside a chunk: the state to go on from, and the prompt, which only the first chunk needs. */
export interface StreamInput {
  wire: Readonly<Record<string, unknown>> | null;
  promptIds: readonly number[] | null;
}

/** What a chunk adds to a sequence. */
export interface SequenceNews {
  text: string;
  /** Null without a parser. */
  piece: MessagePiece | null;
  state: StreamState;
}

/** The part of the news of one sequence that all streamed derenders share. */
export class SequenceStream {
  constructor(
    private readonly decoding: Decoding,
    private readonly parsing: { parser: MessageParser; request: ChatCompletionRequest } | null,
    private readonly settings: RenderSettings,
  ) {}

  /** The state that a call begins with. Throws a 400. */
  begin({ wire, promptIds }: StreamInput): StreamState {
    if (wire && isOwn(wire)) {
      const state = readState(wire);
      if ((state.parser !== null) !== (this.parsing !== null))
        throw badState('it is of another kind of request');
      return state;
    }
    return wire ? this.#fromReference(wire, promptIds) : this.#fresh(promptIds ?? []);
  }

  /** Add a chunk's tokens; the state before is not changed. Throws a 400 for more tokens than the model's length. */
  add(state: StreamState, choice: DerenderableChoice): SequenceNews {
    const ids = choice.token_ids ?? [];
    this.#checkLength(state, ids.length);
    const isLast = choice.finish_reason != null;
    const { tokenizer } = this.decoding;
    const detokenizer = IncrementalDetokenizer.resume(tokenizer, state.detokenizer, false);
    let text = '';
    for (const id of visibleIds(ids, choice, this.decoding)) text += detokenizer.push(id);
    const isEmpty = ids.length === 0 && !isLast;
    const parsed = this.#parse(state.parser, text, isLast, isEmpty);
    return {
      text,
      piece: parsed?.piece ?? null,
      state: {
        ...state,
        detokenizer: detokenizer.state(),
        parser: parsed?.state ?? null,
        roleSent: true,
        sawCalls: state.sawCalls || (parsed?.sawCalls ?? false),
        context: nextContext(state.context, ids),
        offset: state.offset + [...text].length,
        tokens: state.tokens + ids.length,
      },
    };
  }

  #parse(state: ParserState | null, text: string, isLast: boolean, isEmpty: boolean) {
    if (!this.parsing) return null;
    if (isEmpty) return { piece: NO_PIECE, state, sawCalls: false };
    try {
      return this.parsing.parser.push(state!, text, isLast);
    } catch (error) {
      if (error instanceof TypeError) throw badState();
      throw error;
    }
  }

  #checkLength({ tokens, promptTokens }: StreamState, added: number): void {
    const { maxModelLen } = this.settings;
    if (promptTokens + tokens + added > maxModelLen) {
      throw valueFault(
        null,
        `Prompt (${promptTokens} tokens), output so far (${tokens}) and chunk (${added}) are longer than the model's ` +
          `length of ${maxModelLen}.`,
      );
    }
  }

  #fresh(promptIds: readonly number[]): StreamState {
    return {
      detokenizer: detokenizerAfter(promptIds, this.decoding).state(),
      parser: this.#startOfParser(promptIds),
      roleSent: false,
      sawCalls: false,
      context: [],
      offset: 0,
      tokens: 0,
      promptTokens: promptIds.length,
    };
  }

  #startOfParser(promptIds: readonly number[]): ParserState | null {
    if (!this.parsing) return null;
    const { parser, request } = this.parsing;
    return parser.start(reasoningContext(request, promptIds, this.settings));
  }

  /** Take over a stream that the reference began: for a parser the output so far is read once more. */
  #fromReference(wire: Readonly<Record<string, unknown>>, promptIds: readonly number[] | null): StreamState {
    const past = readReferenceState(wire);
    let state: StreamState = {
      ...this.#fresh(promptIds ?? []),
      roleSent: past.role_sent,
      context: past.logprob_context_token_ids,
      offset: past.logprob_text_offset,
    };
    if (!this.parsing) return { ...state, detokenizer: resumeWindow(past, this.decoding).state() };
    let at = 0;
    for (const length of past.output_chunk_lens) {
      const token_ids = past.output_token_ids.slice(at, at + length);
      state = this.add(state, { index: 0, token_ids, finish_reason: null }).state;
      at += length;
    }
    return { ...state, roleSent: past.role_sent, sawCalls: state.sawCalls || past.tools_streamed };
  }
}

const NO_PIECE: MessagePiece = { reasoning: null, content: null, toolCalls: [] };
