import { glmSyntax } from './glm45-syntax.js';
import { KEY_VALUE_TAGS } from './tagged/argument-tags.js';
import { taggedCalls } from './tagged/tagged-calls.js';

const CALL = '<tool_call>';
const CALL_END = '</tool_call>';
const KEY = '<arg_key>';

/** GLM 4.5 to 5: `<tool_call>NAME<arg_key>KEY</arg_key><arg_value>value</arg_value></tool_call>`. */
export const glm45Calls = taggedCalls({
  grammar: {
    moves: {
      content: { [CALL]: 'name' },
      before: {},
      name: { [KEY]: 'arguments', [CALL_END]: 'content' },
      arguments: { [CALL_END]: 'content' },
      after: {},
    },
    callBeginsIn: 'name',
    argumentMarkers: [KEY],
    otherMarkers: ['</arg_key>', '<arg_value>', '</arg_value>', '<think>', '</think>'],
    argumentTags: KEY_VALUE_TAGS,
  },
  knownNamesOnly: true,
  callSyntax: glmSyntax,
});
