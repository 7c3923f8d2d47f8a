import { objectsForm } from './call-objects.js';
import { markedObjects } from './marked-objects.js';

/** Granite 3: a list after a token (3.0) or a tag (3.1). */
export const graniteCalls = markedObjects({
  markers: ['<|tool_call|>', '<tool_call>'],
  form: objectsForm(['arguments'], '{}', true),
  needsSpecialTokens: true,
  callSyntax: null,
});

/** Jamba: a list between `<tool_calls>` tags. */
export const jambaCalls = markedObjects({
  markers: ['<tool_calls>'],
  form: objectsForm(['arguments'], '{}'),
  needsSpecialTokens: true,
  callSyntax: null,
});

/** Phi 4 mini: a list after a word. */
export const phi4MiniCalls = markedObjects({
  markers: ['functools'],
  form: objectsForm(['arguments', 'parameters'], '{}'),
  needsSpecialTokens: false,
  callSyntax: null,
});
