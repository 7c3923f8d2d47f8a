import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { toolParser } from './index.js';
import { cutsOf, type Message, streamedCalls } from './testing/streamed.js';

interface Output extends Message {
  parser: string;
  text: string;
  /** Begun like calls and then none: in a stream, what was sent can't be taken back. */
  isMalformed?: boolean;
}

/** Outputs, and the messages that the reference makes of them. */
const outputs = JSON.parse(
  readFileSync(new URL('./testing/json-calls.json', import.meta.url), 'utf8'),
) as Output[];

describe.each(outputs)('$parser: $text', ({ parser: name, text, isMalformed, ...message }) => {
  const parser = toolParser(name);

  test('whole', () => {
    expect(parser.whole(text, [])).toEqual(message);
  });

  test('in pieces', () => {
    for (const pieces of cutsOf(text)) {
      const streamed = streamedCalls(parser, pieces, []);
      if (!isMalformed) expect(streamed).toEqual(message);
    }
  });
});

test('Python: values are what json.dumps writes', () => {
  const text = `[f(a='it\\'s "x"', b=(1, -2.50, 1e16,), c={'k': [None, True], 2: {}}, d="é" 'n\\n', e=r"\\d", g=0x1F)]`;
  const [call] = toolParser('pythonic').whole(text, []).toolCalls;
  expect(call?.arguments).toBe(
    String.raw`{"a": "it's \"x\"", "b": [1, -2.5, 1e+16], "c": {"k": [null, true], "2": {}}, "d": "én\n", "e": "\\d", "g": 31}`,
  );
});
