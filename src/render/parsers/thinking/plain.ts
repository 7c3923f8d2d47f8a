import type { ReasoningContext, ReasoningParser } from '../parser.js';
import { lastOf } from '../prompt-markers.js';
import { type Opening, type Passage, phasedReasoning } from './phases.js';

const OPEN = '<think>';
const CLOSE = '</think>';

const UP_TO_CLOSE: Passage = { is: 'reasoning', ends: { [CLOSE]: 'rest' } };
const REST: Passage = { is: 'rest' };

/** The opening tag may be there or not: models leave it out where the prompt ends with it. */
export const MAYBE_OPEN: Opening = {
  opensWith: OPEN,
  skipsSpace: true,
  opened: 'reasoning',
  unopened: 'reasoning',
};

/** Step 3: reasoning up to `</think>`. */
export const step3 = erased(
  phasedReasoning({
    phases: { reasoning: UP_TO_CLOSE, rest: REST },
    start: unlessClosed('reasoning'),
    needsSpecialTokens: false,
  }),
);

/** OLMo 3: reasoning up to `</think>`; a whole output without that tag has none. */
export const olmo3 = erased(
  phasedReasoning({
    phases: { start: { ...MAYBE_OPEN, skipsSpace: false }, reasoning: UP_TO_CLOSE, rest: REST },
    start: unlessClosed('start'),
    needsSpecialTokens: false,
    needsEnd: true,
  }),
);

/** DeepSeek V3: reasons when the template is asked to. */
export const deepseekV3 = deepseek(false);

/** Holo 2: the same, unless the template is asked not to. */
export const holo2 = deepseek(true);

function deepseek(isDefault: boolean): ReasoningParser {
  return erased(
    phasedReasoning({
      phases: { start: MAYBE_OPEN, reasoning: UP_TO_CLOSE, rest: REST },
      start(context) {
        const { thinking, enable_thinking: enabled } = context.templateKwargs;
        const isGiven = thinking != null || enabled != null;
        const reasons = isGiven ? Boolean(thinking) || Boolean(enabled) : isDefault;
        return reasons ? unlessClosed('start')(context) : 'rest';
      },
      needsSpecialTokens: false,
    }),
  );
}

/** A phase to start in, unless the prompt has closed reasoning. */
export function unlessClosed(start: string): (context: ReasoningContext) => string {
  return ({ prompt }) => (lastOf(prompt, [OPEN, CLOSE]) === CLOSE ? 'rest' : start);
}

/** States are the parser's own. */
function erased(parser: unknown): ReasoningParser {
  return parser as ReasoningParser;
}
