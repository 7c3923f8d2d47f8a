import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { Tool } from '../../../../generated/types.js';
import { toolParser } from '../index.js';
import { cutsOf, type Message, streamedCalls } from '../testing/streamed.js';

interface Output extends Message {
  parser: string;
  text: string;
  withoutTools?: boolean;
  isMalformed?: boolean;
}

/** Outputs, and the messages that the reference makes of them. */
const { tools, outputs } = JSON.parse(
  readFileSync(new URL('../testing/tagged-calls.json', import.meta.url), 'utf8'),
) as { tools: Tool[]; outputs: Output[] };

const STRING_TOOLS = toolsWith({ type: 'string' });
const ARRAY_TOOLS = toolsWith({ type: ['array', 'string'] });

describe.each(outputs)('$parser: $text', ({ parser: name, text, withoutTools, isMalformed, ...message }) => {
  const parser = toolParser(name);
  const given = withoutTools ? [] : tools;

  test('whole', () => {
    expect(parser.whole(text, given)).toEqual(message);
  });

  test('in pieces', () => {
    for (const pieces of cutsOf(text)) {
      const streamed = streamedCalls(parser, pieces, given);
      if (!isMalformed) expect(streamed).toEqual(message);
    }
  });
});

describe('values that are longer than any state', () => {
  const long = 'a "word" \\ '.repeat(2000);

  test.each([
    ['text', STRING_TOOLS, long],
    ['JSON', ARRAY_TOOLS, JSON.stringify([long, { n: 1.5, deep: [[null]] }, 12345])],
    ['text that begins like JSON', ARRAY_TOOLS, `[see ${long}`],
  ])('%s', (_kind, given, value) => {
    const parser = toolParser('glm45');
    const text = `<tool_call>f\n<arg_key>a</arg_key>\n<arg_value>${value}</arg_value>\n</tool_call>`;
    const whole = parser.whole(text, given);
    expect(whole.toolCalls).toHaveLength(1);
    expect(streamedCalls(parser, [...text], given)).toEqual(whole);
    expect(streamedCalls(parser, [text], given)).toEqual(whole);
  });

  test('text is sent as it comes', () => {
    const parser = toolParser('qwen3_coder');
    const { piece } = parser.push(
      parser.start(),
      '<tool_call>\n<function=f>\n<parameter=a>\nHello wo',
      STRING_TOOLS,
    );
    expect(piece.toolCalls.map(({ arguments: sent }) => sent)).toEqual([null, '{"a": "Hello wo']);
  });
});

describe('a stream that ends within an argument', () => {
  const begun = '<tool_call>\n<function=f>\n<parameter=b>1</parameter>\n<parameter=a>';

  test('stops where it is', () => {
    const streamed = streamedCalls(toolParser('qwen3_coder'), [`${begun}Hel`], STRING_TOOLS);
    expect(streamed.toolCalls[0]?.arguments).toBe('{"b": "1", "a": "Hel');
  });

  test('leaves out what was not sent', () => {
    const streamed = streamedCalls(toolParser('qwen3_coder'), [`${begun}[1, 2`], ARRAY_TOOLS);
    expect(streamed.toolCalls[0]?.arguments).toBe('{"b": "1"}');
  });
});

function toolsWith(schema: object): Tool[] {
  return [{ type: 'function', function: { name: 'f', parameters: { properties: { a: schema } } } }];
}
