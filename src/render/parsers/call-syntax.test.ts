import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { Tool } from '../../../generated/types.js';
import { forcedCalls } from '../tool-choice.js';
import { toolParser } from './index.js';

interface Case {
  parser: string;
  /** A set of tools. */
  tools: string;
  choice: 'auto' | 'required' | 'named';
  isSingle?: boolean;
  /** The structural tag or schema that the reference sends; null = none. */
  expected: object | null;
}

const { tools, cases } = JSON.parse(
  readFileSync(new URL('./testing/call-syntax.json', import.meta.url), 'utf8'),
) as { tools: Readonly<Record<string, Tool[]>>; cases: Case[] };

describe.each(cases)(
  '$parser, $choice, $tools tools',
  ({ parser, tools: set, choice, isSingle, expected }) => {
    test('is held to the shape that the reference asks for', () => {
      const shape = forcedCalls({
        tools: tools[set]!,
        choice: choice === 'named' ? { name: 'f' } : choice,
        parallel: isSingle !== true,
        syntax: toolParser(parser).callSyntax,
      });
      const { structural_tag: tag, json } = shape ?? {};
      const asked = typeof tag === 'string' ? JSON.parse(tag) : (json ?? null);
      expect(JSON.stringify(asked)).toBe(JSON.stringify(expected));
    });
  },
);
