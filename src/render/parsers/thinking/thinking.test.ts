import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { reasoningParser } from '../index.js';
import type { ReasoningContext, ReasoningPiece } from '../parser.js';
import { cutsOf, streamedReasoning } from '../testing/streamed.js';

interface Output extends ReasoningPiece {
  parser: string;
  text: string;
  variables?: ReasoningContext['templateKwargs'];
  isMalformed?: boolean;
}

/** Outputs, and what the reference makes of them. */
const outputs = JSON.parse(
  readFileSync(new URL('../testing/thinking.json', import.meta.url), 'utf8'),
) as Output[];

describe.each(outputs)(
  '$parser, $variables: $text',
  ({ parser: name, text, variables, isMalformed, ...piece }) => {
    const parser = reasoningParser(name);
    const context = { prompt: '', templateKwargs: variables ?? {} };

    test('whole', () => {
      expect(parser.whole(text, context)).toEqual(piece);
    });

    test('in pieces', () => {
      for (const pieces of cutsOf(text)) {
        const streamed = streamedReasoning(parser, pieces, context);
        if (!isMalformed) expect(streamed).toEqual(piece);
      }
    });
  },
);

describe('after a prompt', () => {
  test.each([
    ['qwen3', '<|im_start|>assistant\n<think>\n', false],
    ['qwen3', '<|im_start|>assistant\n<think>\n\n</think>\n\n', true],
    ['qwen3', '<think>a</think>b<|im_end|>\n<|im_start|>assistant\n', false],
    ['seed_oss', '<seed:think>a</seed:think>b<seed:eos><seed:bos>assistant\n', false],
    ['glm45', '<|user|>\nHi<|assistant|>\n<think></think>\n', true],
    ['glm45', '<|assistant|>\n<think>a</think>b<|user|>\nHi<|assistant|>', false],
    ['kimi_k2', '<|im_assistant|>assistant<|im_middle|><think>', false],
    ['step3', '<think>a</think>b', true],
    ['hunyuan_a13b', '<think>\n\n</think>\n', false],
    ['openai_gptoss', '<|start|>assistant', true],
  ])('%s, %j: reasoning is over: %s', (name, prompt, isOver) => {
    const parser = reasoningParser(name);
    const context = { prompt, templateKwargs: {} };
    expect(parser.hasEnded(parser.start(context))).toBe(isOver);
  });

  test.each(['deepseek_v3', 'glm45', 'kimi_k2'])('%s: it is over where it is turned off', (name) => {
    const parser = reasoningParser(name);
    const context = { prompt: '<think>', templateKwargs: { thinking: false } };
    expect(parser.hasEnded(parser.start(context))).toBe(true);
  });
});

test('white space that is waited on is not kept without end', () => {
  const parser = reasoningParser('glm45');
  const context = { prompt: '', templateKwargs: {} };
  const text = `a${' '.repeat(20_000)}`;
  const { reasoning } = streamedReasoning(parser, text.match(/.{1,100}/gs)!, context);
  expect(reasoning?.length).toBeGreaterThan(19_000);
});

test('many tags cost no more than other text', () => {
  const parser = reasoningParser('qwen3');
  const context = { prompt: '', templateKwargs: {} };
  const text = '<think>'.repeat(200_000);
  expect(parser.whole(text, context)).toEqual({ reasoning: null, rest: null });
});
