import type { ReasoningParser, ReasoningPiece, ToolParser } from '../parser.js';
import { harmonyCalls } from './calls.js';
import type { Header } from './header.js';
import { type Joint, joined, parted } from './joint.js';
import { type MessageSink, READER_START, type ReaderState, readHarmony } from './reader.js';

type State = Readonly<{ reader: ReaderState; isReasoning: boolean; reasoning: Joint }>;

const BEGINNING: State = { reader: READER_START, isReasoning: false, reasoning: 'none' };

/**
 * gpt-oss: messages of the channel `analysis` are reasoning. The others stay as they are written, for what reads calls
 * and content to read.
 */
export const harmonyReasoning: ReasoningParser<State> = {
  needsSpecialTokens: false,
  restReader: harmonyCalls as unknown as ToolParser,
  start: () => BEGINNING,
  // A grammar covers the whole output, its reasoning included.
  hasEnded: () => true,
  push: (state, text) => read(state, text, false),
  end: (state) => read(state, '', true).piece,
  whole: (text) => read(BEGINNING, text, true).piece,
};

function read(state: State, text: string, isLast: boolean): { piece: ReasoningPiece; state: State } {
  const sink = new Split(state);
  const reader = readHarmony(state.reader, text, isLast, sink);
  const { isReasoning, joint: reasoning } = sink;
  return {
    piece: { reasoning: sink.reasoning || null, rest: sink.rest || null },
    state: { reader, isReasoning, reasoning },
  };
}

class Split implements MessageSink {
  reasoning = '';
  rest = '';
  isReasoning: boolean;
  joint: Joint;

  constructor({ isReasoning, reasoning }: State) {
    this.isReasoning = isReasoning;
    this.joint = reasoning;
  }

  open({ kind }: Header, raw: string): void {
    this.isReasoning = kind === 'reasoning';
    if (this.isReasoning) this.joint = parted(this.joint);
    else this.rest += raw;
  }

  text(piece: string): void {
    if (!this.isReasoning) {
      this.rest += piece;
      return;
    }
    const { text, joint } = joined(this.joint, piece);
    this.reasoning += text;
    this.joint = joint;
  }

  close(marker: string): void {
    if (!this.isReasoning) this.rest += marker;
  }

  loose(text: string): void {
    this.rest += text;
  }
}
