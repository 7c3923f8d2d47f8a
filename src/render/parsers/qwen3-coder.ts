import type { OwnCallSyntax } from './parser.js';
import { argumentsSchema, schemaFormat, tagFormat, triggeredCalls } from './tag-formats.js';
import { type ArgumentTags, PARAMETER_TAGS } from './tagged/argument-tags.js';
import type { CallGrammar, Place } from './tagged/call-machine.js';
import { taggedCalls } from './tagged/tagged-calls.js';

const FUNCTION = '<function=';
const FUNCTION_END = '</function>';

/**
 * `<tool_call><function=NAME><parameter=KEY>value</parameter></function></tool_call>`, between the family's own tags
 * for a call, of which the outer ones may be missing.
 */
export function functionTags(
  open: string,
  close: string,
  otherMarkers: readonly string[],
  argumentTags: ArgumentTags = PARAMETER_TAGS,
): CallGrammar {
  const call: Readonly<Record<string, Place>> = { [open]: 'before', [FUNCTION]: 'name' };
  return {
    moves: {
      content: call,
      before: { [close]: 'content', [FUNCTION]: 'name' },
      name: { '>': 'arguments', [FUNCTION_END]: 'after' },
      arguments: { [FUNCTION_END]: 'after' },
      after: { ...call, [close]: 'content' },
    },
    callBeginsIn: 'before',
    argumentMarkers: [],
    otherMarkers: ['<parameter=', '</parameter>', ...otherMarkers],
    argumentTags,
  };
}

const BEGIN = `<tool_call>\n${FUNCTION}`;

const SYNTAX: OwnCallSyntax = {
  format(asked) {
    const tags = asked.tools.map((tool) => {
      const content = schemaFormat(argumentsSchema(tool), 'qwen_xml');
      return tagFormat(`${BEGIN}${tool.function.name}>\n`, content, `\n${FUNCTION_END}\n</tool_call>`);
    });
    return asked.choice === 'named' ? tags[0]! : triggeredCalls(BEGIN, tags, asked, ['<think>', '</think>']);
  },
};

/** Qwen 3 Coder, Qwen 3.5 and Step 3.5. */
export const qwen3Coder = taggedCalls({
  grammar: functionTags('<tool_call>', '</tool_call>', ['<think>', '</think>']),
  knownNamesOnly: false,
  callSyntax: SYNTAX,
});

/** Seed-OSS: the same between tags of its own. */
export const seedOssCalls = taggedCalls({
  grammar: functionTags('<seed:tool_call>', '</seed:tool_call>', ['<seed:think>', '</seed:think>']),
  knownNamesOnly: false,
  callSyntax: null,
});
