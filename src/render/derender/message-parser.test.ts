import { describe, expect, test } from 'vitest';
import type { ChatCompletionRequest, Tool } from '../../../generated/types.js';
import { reasoningParser, toolParser } from '../parsers/index.js';
import type { OutputParsers } from '../settings.js';
import { MessageParser } from './message-parser.js';

const TOOLS: Tool[] = [{ type: 'function', function: { name: 'f', parameters: { type: 'object' } } }];
const OUTPUT =
  '<|channel|>analysis<|message|>Think.<|end|><|start|>assistant<|channel|>commentary<|message|>Look.<|end|>' +
  '<|start|>assistant<|channel|>commentary to=functions.f <|constrain|>json<|message|>{"a": 1}<|call|>';
const CONTEXT = { prompt: '', templateKwargs: {} };

const BOTH: OutputParsers = {
  reasoning: reasoningParser('openai_gptoss'),
  tool: toolParser('openai'),
  autoToolChoice: true,
};

describe('an output whose content is marked', () => {
  test('gives reasoning, content and calls', () => {
    const calls = [{ name: 'f', arguments: '{"a": 1}' }];
    expect(messageOf(BOTH, { tools: TOOLS })).toEqual({ reasoning: 'Think.', content: 'Look.', calls });
  });

  test.each<[string, Partial<OutputParsers>, Partial<ChatCompletionRequest>, string | null]>([
    ['calls are not allowed', {}, { tools: TOOLS, tool_choice: 'none' }, 'Think.'],
    ['the request has no tools', {}, {}, 'Think.'],
    ['there is no tool parser', { tool: null }, { tools: TOOLS }, 'Think.'],
    ['there is no reasoning parser', { reasoning: null }, { tools: TOOLS, tool_choice: 'none' }, null],
  ])('has its content alone where %s', (_case, parsers, request, reasoning) => {
    expect(messageOf({ ...BOTH, ...parsers }, request)).toEqual({ reasoning, content: 'Look.', calls: [] });
  });
});

/** The message of the output, which has to be the same when it is streamed. */
function messageOf(parsers: OutputParsers, asked: Partial<ChatCompletionRequest>) {
  const parser = new MessageParser(parsers, { messages: [], ...asked } as ChatCompletionRequest);
  const { reasoning, content, tool_calls } = parser.whole(OUTPUT, CONTEXT, (index) => `call-${index}`);
  const calls = (tool_calls ?? []).map((call) => ({
    name: call.function?.name,
    arguments: call.function?.arguments,
  }));
  const whole = { reasoning: reasoning ?? null, content: content ?? null, calls };
  expect(streamed(parser)).toEqual(whole);
  return whole;
}

function streamed(parser: MessageParser) {
  let [reasoning, content] = ['', ''];
  const calls: Array<{ name: string | null; arguments: string }> = [];
  let state = parser.start(CONTEXT);
  const characters = [...OUTPUT];
  characters.forEach((character, at) => {
    const step = parser.push(state, character, at === characters.length - 1);
    state = step.state;
    reasoning += step.piece.reasoning ?? '';
    content += step.piece.content ?? '';
    for (const { index, name, arguments: sent } of step.piece.toolCalls) {
      calls[index] ??= { name, arguments: '' };
      calls[index].arguments += sent ?? '';
    }
  });
  return { reasoning: reasoning || null, content: content || null, calls };
}
