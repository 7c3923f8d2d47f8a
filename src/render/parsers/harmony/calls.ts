import { CallPieces } from '../call-pieces.js';
import type { ParsedToolCall, ToolParser } from '../parser.js';
import { RESPELLING_START, type Respelling, respell, respelled } from '../tagged/respelled-json.js';
import type { Header } from './header.js';
import { type Joint, joined, parted } from './joint.js';
import { type MessageSink, READER_START, type ReaderState, readHarmony } from './reader.js';
import { harmonySyntax } from './syntax.js';

/** `json`: how far the arguments were respelled; null once they are sent as they are. */
type State = Readonly<{
  reader: ReaderState;
  header: Readonly<Header>;
  calls: number;
  json: Respelling | null;
  content: Joint;
}>;

const NO_MESSAGE: Header = { kind: 'ignored', name: '', isJson: false };

/**
 * gpt-oss: calls are messages to a function, content the other messages that are for the user. What is reasoning is
 * left out. Arguments in JSON are respelled as Python prints them, in ASCII.
 */
export const harmonyCalls: ToolParser<State> = {
  needsSpecialTokens: false,
  alwaysReads: true,
  callSyntax: harmonySyntax,
  start: () => ({
    reader: READER_START,
    header: NO_MESSAGE,
    calls: 0,
    json: RESPELLING_START,
    content: 'none',
  }),
  push: (state, text) => read(state, text, false),
  end: (state) => read(state, '', true).piece,
  whole(text) {
    const sink = new Gathered();
    readHarmony(READER_START, text, true, sink);
    sink.close();
    return { content: sink.contents.join('\n') || null, toolCalls: sink.calls };
  },
};

function read(state: State, text: string, isLast: boolean) {
  const sink = new Streamed(state);
  const reader = readHarmony(state.reader, text, isLast, sink);
  if (isLast) sink.close();
  return { piece: sink.pieces.piece, state: { ...sink.state, reader } };
}

class Gathered implements MessageSink {
  readonly calls: ParsedToolCall[] = [];
  readonly contents: string[] = [];
  #header = NO_MESSAGE;
  #text = '';

  open(header: Header): void {
    this.#header = header;
    this.#text = '';
  }

  text(text: string): void {
    this.#text += text;
  }

  loose(text: string): void {
    this.#header = { ...NO_MESSAGE, kind: 'content' };
    this.#text = text;
  }

  close(): void {
    const { kind, name, isJson } = this.#header;
    const text = this.#text;
    if (kind === 'content' && text !== '') this.contents.push(text);
    if (kind === 'call') this.calls.push({ name, arguments: (isJson && asciiJson(text)) || text });
    this.#header = NO_MESSAGE;
  }
}

class Streamed implements MessageSink {
  readonly pieces = new CallPieces();
  state: State;

  constructor(state: State) {
    this.state = state;
  }

  open(header: Header): void {
    const { calls, content } = this.state;
    const json = header.isJson ? RESPELLING_START : null;
    this.state = { ...this.state, header, json, content: parted(content) };
    if (header.kind !== 'call') return;
    this.pieces.begin(calls, header.name);
    this.state = { ...this.state, calls: calls + 1 };
  }

  text(text: string): void {
    const { kind } = this.state.header;
    if (kind === 'content') this.#addContent(text);
    if (kind === 'call') this.#addArguments(text, false);
  }

  loose(text: string): void {
    this.#addContent(text);
  }

  close(): void {
    if (this.state.header.kind === 'call') this.#addArguments('', true);
    this.state = { ...this.state, header: NO_MESSAGE, content: parted(this.state.content) };
  }

  #addContent(piece: string): void {
    const { text, joint } = joined(this.state.content, piece);
    this.pieces.addContent(text);
    this.state = { ...this.state, content: joint };
  }

  #addArguments(text: string, isLast: boolean): void {
    const { calls, json } = this.state;
    const step = json && respell(json, text, isLast);
    this.pieces.addArguments(calls - 1, step ? ascii(step.text) : (json?.token ?? '') + text);
    this.state = { ...this.state, json: step?.state ?? null };
  }
}

function asciiJson(text: string): string | null {
  const json = respelled(text);
  return json === null ? null : ascii(json);
}

function ascii(json: string): string {
  return json.replace(/[\x7f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
