import { describe, expect, test } from 'vitest';
import { forcedJson } from './forced-json.js';
import { cutsOf, streamedCalls } from './testing/streamed.js';

const TWO = '[{"name": "f", "parameters": {"a":"x","n":1.50, "é":"\\u00e9"}}, {"name":"g","parameters":{}}]';

/** Outputs, and the calls that the reference finds in them. */
describe('a list of calls', () => {
  test.each<[string, Array<[string, string]>]>([
    [
      TWO,
      [
        ['f', '{"a": "x", "n": 1.5, "é": "é"}'],
        ['g', '{}'],
      ],
    ],
    ['[{"name":"f"}]', [['f', 'null']]],
    ['[{"name":"f","parameters":null}]', [['f', 'null']]],
    [' [\n{ "name" : "f\\u0041" , "parameters" : { } } ]', [['fA', '{}']]],
    ['nonsense', []],
    ['[', []],
  ])('%s', (text, calls) => {
    const parser = forcedJson('required');
    const expected = { content: null, toolCalls: calls.map(([name, sent]) => ({ name, arguments: sent })) };
    expect(parser.whole(text, [])).toEqual(expected);
    for (const pieces of cutsOf(text)) expect(streamedCalls(parser, pieces, [])).toEqual(expected);
  });

  test.each([
    '[{"name": "f", "parameters": [1]}]',
    '[{"name": "f", "parameters": {"a":1}',
    '[{"name": "\\x", "p',
  ])('nothing is found in %s', (text) => {
    expect(forcedJson('required').whole(text, [])).toEqual({ content: null, toolCalls: [] });
    for (const pieces of cutsOf(text)) streamedCalls(forcedJson('required'), pieces, []);
  });
});

describe('the arguments of one function', () => {
  test.each<[string, number]>([
    ['{"a":"x"}', 1],
    ['\n{"a": 1', 1],
    ['  ', 0],
  ])('%j', (text, calls) => {
    const parser = forcedJson({ name: 'f' });
    const expected = { content: null, toolCalls: calls ? [{ name: 'f', arguments: text }] : [] };
    expect(parser.whole(text, [])).toEqual(expected);
    for (const pieces of cutsOf(text)) expect(streamedCalls(parser, pieces, [])).toEqual(expected);
  });
});
