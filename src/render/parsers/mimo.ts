import type { OwnCallSyntax } from './parser.js';
import { functionTags } from './qwen3-coder.js';
import { argumentsSchema, schemaFormat, tagFormat, triggeredCalls } from './tag-formats.js';
import { PARAMETER_TAGS } from './tagged/argument-tags.js';
import { taggedCalls } from './tagged/tagged-calls.js';

const CALL = '<tool_call>';
const CALL_END = '</tool_call>';
const THINK = ['<think>', '</think>'];

const SYNTAX: OwnCallSyntax = {
  format(asked) {
    const tags = asked.tools.map((tool) => {
      const content = schemaFormat(argumentsSchema(tool), 'qwen_xml');
      return tagFormat(`${CALL}<function=${tool.function.name}>`, content, `</function>${CALL_END}`);
    });
    const excludes = [...THINK, CALL_END, '<function='];
    return asked.choice === 'named' ? tags[0]! : triggeredCalls(CALL, tags, asked, excludes);
  },
};

/** MiMo: calls like those of Qwen 3 Coder, but that line breaks around a value are part of it. */
export const mimoCalls = taggedCalls({
  grammar: functionTags(CALL, CALL_END, THINK, { ...PARAMETER_TAGS, trimsLineBreaks: false }),
  knownNamesOnly: false,
  callSyntax: SYNTAX,
});
