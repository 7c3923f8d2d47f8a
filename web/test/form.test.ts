import { describe, expect, it } from 'vitest';
import type { ChatCompletionChunk } from '../../generated/types.js';
import { chatRequest, FieldError, idsOf, idsRequest, type SamplingFields, toolsOf } from '../src/form.js';
import { EMPTY, extended, readable } from '../src/message.js';

const BLANK: SamplingFields = {
  temperature: '',
  topP: '',
  maxTokens: '',
  seed: '',
  alternatives: '',
  stop: '',
};

describe('the form', () => {
  it.each(['1 2 3', '[1, 2, 3]', '1,2,\n3 ', ' [1 2 3] '])('reads %j as three ids', (text) => {
    expect(idsOf(text)).toEqual([1, 2, 3]);
  });

  it.each(['', '[]', '1 -2', '1.5', '1 two'])('refuses %j as ids', (text) => {
    expect(() => idsOf(text)).toThrow(FieldError);
  });

  it.each(['{', '{}'])('refuses %j as tools', (text) => {
    expect(() => toolsOf(text)).toThrow(FieldError);
  });

  it('leaves what is empty to the server', () => {
    expect(idsRequest('5', BLANK)).toEqual({ token_ids: [5], sampling_params: {} });
    expect(chatRequest([{ key: 0, role: 'user', content: 'hi' }], ' ', BLANK)).toEqual({
      messages: [{ role: 'user', content: 'hi' }],
    });
  });

  it('names alternatives as each path does', () => {
    const fields = { ...BLANK, alternatives: '4', stop: 'a\n\nb' };
    expect(idsRequest('5', fields).sampling_params).toEqual({ logprobs: 4, stop: ['a', 'b'] });
    expect(chatRequest([], '', fields)).toMatchObject({ logprobs: true, top_logprobs: 4, stop: ['a', 'b'] });
  });

  it('refuses a seed that numbers of a browser would change', () => {
    expect(() => idsRequest('5', { ...BLANK, seed: '9007199254740993' })).toThrow(/Seed is a whole number/);
  });
});

describe('a streamed message', () => {
  it('grows piece by piece, calls by their index', () => {
    const chunk = (delta: object) => ({ choices: [{ index: 0, delta }] }) as unknown as ChatCompletionChunk;
    const pieces = [
      { reasoning: 'hm' },
      { content: 'a' },
      { content: 'b', tool_calls: [{ index: 0, id: 'x', function: { name: 'f', arguments: '{"a"' } }] },
      { tool_calls: [{ index: 0, function: { arguments: ': 1}' } }] },
    ];
    const message = pieces.map(chunk).reduce(extended, EMPTY);
    expect(message).toEqual({
      reasoning: 'hm',
      content: 'ab',
      calls: [{ id: 'x', name: 'f', arguments: '{"a": 1}' }],
    });
    expect(readable('{"a": 1}')).toBe('{\n  "a": 1\n}');
    expect(readable('{"a": ')).toBe('{"a": ');
  });
});
