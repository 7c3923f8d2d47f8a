import type { ReasoningContext } from './parser.js';
import { lastOf } from './prompt-markers.js';
import { thinkTags } from './think-tags.js';

const OPEN = '<think>';
const CLOSE = '</think>';
const CALL = '<tool_call>';

/**
 * Qwen 3: an output is reasoning until a tag ends it, unless thinking is off or the prompt ended it. A tool call ends
 * it, too.
 */
export const qwen3 = thinkTags({
  open: OPEN,
  close: CLOSE,
  closeAndStay: [CALL],
  startsInside: ({ prompt, templateKwargs }: ReasoningContext) =>
    templateKwargs.enable_thinking !== false && lastOf(turn(prompt), [OPEN, CLOSE, CALL]) !== CLOSE,
});

/** The prompt's last turn: earlier ones may hold reasoning of their own. */
function turn(prompt: string): string {
  return prompt.slice(Math.max(prompt.lastIndexOf('<|im_start|>'), prompt.lastIndexOf('<|im_end|>'), 0));
}
