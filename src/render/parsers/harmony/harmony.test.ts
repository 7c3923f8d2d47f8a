import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { reasoningParser, toolParser } from '../index.js';
import { cutsOf, type Message, streamedCalls, streamedReasoning } from '../testing/streamed.js';

interface Output extends Message {
  text: string;
  reasoning: string | null;
  isMalformed?: boolean;
}

/** Outputs, and the messages that the reference makes of them. */
const outputs = JSON.parse(
  readFileSync(new URL('../testing/harmony.json', import.meta.url), 'utf8'),
) as Output[];

const CONTEXT = { prompt: '', templateKwargs: {} };
const reasoner = reasoningParser('openai_gptoss');
const reader = toolParser('openai');

describe.each(outputs)('$text', ({ text, reasoning, isMalformed, ...message }) => {
  test('whole', () => {
    const thought = reasoner.whole(text, CONTEXT);
    expect(thought.reasoning).toBe(reasoning);
    expect(reader.whole(thought.rest ?? '', [])).toEqual(message);
  });

  test('whole, without a reasoning parser', () => {
    expect(reader.whole(text, [])).toEqual(message);
  });

  test('in pieces', () => {
    for (const pieces of cutsOf(text)) {
      const thought = streamedReasoning(reasoner, pieces, CONTEXT);
      expect(thought).toEqual(reasoner.whole(text, CONTEXT));
      const streamed = streamedCalls(reader, pieces, []);
      if (!isMalformed) expect(streamed).toEqual(message);
    }
  });
});

test('what is not reasoning may be cut anywhere, too', () => {
  for (const { text, isMalformed, reasoning: _, ...message } of outputs) {
    const { rest } = reasoner.whole(text, CONTEXT);
    if (!isMalformed) expect(streamedCalls(reader, [...(rest ?? '')], [])).toEqual(message);
  }
});

test('an output in no format is content, sent before its end once it is too long for a header', () => {
  const text = 'Words and words. '.repeat(200);
  const { piece } = reader.push(reader.start(), text, []);
  expect(piece.content).not.toBeNull();
  expect(streamedCalls(reader, [...text], [])).toEqual({ content: text, toolCalls: [] });
  expect(reader.whole(text, [])).toEqual({ content: text, toolCalls: [] });
});

test('arguments are sent as they come', () => {
  const begun = '<|channel|>commentary to=functions.f <|constrain|>json<|message|>{"a":"Hello wo';
  const { piece } = reader.push(reader.start(), begun, []);
  expect(piece.toolCalls.map(({ arguments: sent }) => sent).join('')).toBe('{"a": "Hello wo');
});
