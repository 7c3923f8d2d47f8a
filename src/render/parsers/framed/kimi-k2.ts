import type { OwnCallSyntax } from '../parser.js';
import {
  argumentsSchema,
  constant,
  schemaFormat,
  sequence,
  tagFormat,
  triggeredCalls,
} from '../tag-formats.js';
import { framedCalls } from './framed-calls.js';
import { separatedCalls } from './section-syntax.js';

const SECTION = '<|tool_calls_section_begin|>';
const SECTION_END = '<|tool_calls_section_end|>';
const CALL = '<|tool_call_begin|>';
const ARGUMENTS = '<|tool_call_argument_begin|>';
const CALL_END = '<|tool_call_end|>';
const NUMBER = { type: 'regex', pattern: '\\d+', excludes: [] };

const SYNTAX: OwnCallSyntax = {
  format(asked) {
    const tags = asked.tools.map((tool) =>
      tagFormat(
        `${CALL}functions.${tool.function.name}:`,
        sequence(NUMBER, constant(ARGUMENTS), schemaFormat(argumentsSchema(tool))),
        CALL_END,
      ),
    );
    const calls = asked.choice === 'named' ? tags[0]! : separatedCalls(tags, '', asked);
    if (asked.choice !== 'auto') return sequence(constant(SECTION), calls, constant(SECTION_END));
    const excludes = ['<think>', '</think>', CALL];
    return triggeredCalls(SECTION, [tagFormat(SECTION, calls, SECTION_END)], asked, excludes);
  },
};

/** Kimi K2: `functions.NAME:0` is a call's own id, and has the name in it. */
export const kimiK2Calls = framedCalls({
  section: SECTION,
  call: CALL,
  separator: ARGUMENTS,
  bracesSeparate: false,
  ends: [CALL_END, SECTION_END],
  nameOf: (header) =>
    header
      .trim()
      .replace(/^functions\./, '')
      .split(':')[0]!,
  needsSpecialTokens: true,
  callSyntax: SYNTAX,
});
