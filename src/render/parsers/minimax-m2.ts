import type { OwnCallSyntax } from './parser.js';
import {
  argumentsSchema,
  constant,
  listedCalls,
  schemaFormat,
  sequence,
  tagFormat,
  triggeredCalls,
} from './tag-formats.js';
import { NAMED_PARAMETER_TAGS } from './tagged/argument-tags.js';
import type { Place } from './tagged/call-machine.js';
import { taggedCalls } from './tagged/tagged-calls.js';

const CALLS = '<minimax:tool_call>';
const CALLS_END = '</minimax:tool_call>';
const INVOKE: Readonly<Record<string, Place>> = {
  '<invoke name="': 'name',
  "<invoke name='": 'name',
  '<invoke name=': 'name',
};

const SYNTAX: OwnCallSyntax = {
  format(asked) {
    const tags = asked.tools.map((tool) => {
      const content = schemaFormat(argumentsSchema(tool), 'minimax_xml');
      return tagFormat(`<invoke name="${tool.function.name}">\n`, content, '</invoke>\n');
    });
    const calls = listedCalls(tags, asked);
    if (asked.choice !== 'auto') return sequence(constant(`\n${CALLS}\n`), calls, constant(CALLS_END));
    return triggeredCalls(CALLS, [tagFormat(`${CALLS}\n`, calls, CALLS_END)], asked, ['<think>', '</think>']);
  },
};

/** MiniMax M2: `<invoke name="NAME"><parameter name="KEY">value</parameter></invoke>`, within `<minimax:tool_call>`. */
export const minimaxM2Calls = taggedCalls({
  grammar: {
    moves: {
      content: { [CALLS]: 'before', [CALLS_END]: 'content', ...INVOKE },
      before: { [CALLS_END]: 'content', ...INVOKE },
      name: { '">': 'arguments', "'>": 'arguments', '>': 'arguments' },
      arguments: { '</invoke>': 'after' },
      after: { [CALLS_END]: 'content', ...INVOKE },
    },
    callBeginsIn: 'name',
    argumentMarkers: [],
    otherMarkers: ['<parameter name=', '</parameter>', '</invoke>', '<think>', '</think>'],
    argumentTags: NAMED_PARAMETER_TAGS,
  },
  knownNamesOnly: true,
  callSyntax: SYNTAX,
});
