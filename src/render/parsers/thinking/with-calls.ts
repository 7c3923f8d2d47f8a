import type { ReasoningContext, ReasoningParser } from '../parser.js';
import { lastOf } from '../prompt-markers.js';
import { type Passage, phasedReasoning } from './phases.js';

/** A family that reasons before it answers or calls. */
interface Family {
  open: string;
  close: string;
  /** Begins calls, which ends reasoning. */
  call: string;
  /** Begin a turn of the prompt: markers before the last of them are an earlier turn's. */
  turns: readonly string[];
  /** Whether it reasons at all, by the variables of the request's template; if not, outputs are left as they are. */
  reasons(variables: ReasoningContext['templateKwargs']): boolean;
  /** In a whole output, reasoning may begin again after its end. */
  reopens?: boolean;
  trimsReasoning: boolean;
}

/**
 * Reasoning from the beginning of the output, unless the prompt has ended it, up to a closing tag or a call. In
 * a whole output, closing tags that come again are left out; a stream has sent them.
 */
function reasoningWithCalls(family: Family): ReasoningParser {
  const { open, close, call, turns, reasons, reopens, trimsReasoning } = family;
  const reasoning: Passage = {
    is: 'reasoning',
    ends: { [open]: 'reasoning', [close]: 'rest', [call]: 'rest' },
    stays: [call],
  };
  const again: Passage = { is: 'rest', ends: { [close]: 'rest', ...(reopens && { [open]: 'reasoning' }) } };
  const parser = phasedReasoning({
    phases: { reasoning, rest: { is: 'rest' }, untouched: { is: 'rest' } },
    wholePhases: { rest: again },
    start({ prompt, templateKwargs }) {
      if (!reasons(templateKwargs)) return 'untouched';
      const turn = prompt.slice(Math.max(0, ...turns.map((marker) => prompt.lastIndexOf(marker))));
      return [close, call].includes(lastOf(turn, [open, close, call]) ?? open) ? 'rest' : 'reasoning';
    },
    needsSpecialTokens: true,
    trimsReasoning,
  });
  return parser as unknown as ReasoningParser;
}

const THINK = { open: '<think>', close: '</think>' };
const CHATML = ['<|im_start|>', '<|im_end|>'];

/** Qwen 3, and MiMo. */
export const qwen3 = reasoningWithCalls({
  ...THINK,
  call: '<tool_call>',
  turns: CHATML,
  reasons: unlessDisabled,
  trimsReasoning: false,
});

/** Step 3.5, which always reasons. */
export const step3p5 = reasoningWithCalls({
  ...THINK,
  call: '<tool_call>',
  turns: CHATML,
  reasons: () => true,
  trimsReasoning: true,
});

/** Seed-OSS. */
export const seedOss = reasoningWithCalls({
  open: '<seed:think>',
  close: '</seed:think>',
  call: '<seed:tool_call>',
  turns: ['<seed:bos>', '<seed:eos>'],
  reasons: unlessDisabled,
  trimsReasoning: false,
});

/** GLM 4.5 to 5. */
export const glm45 = reasoningWithCalls({
  ...THINK,
  call: '<tool_call>',
  turns: ['<|system|>', '<|user|>', '<|assistant|>', '<|observation|>'],
  reasons: unlessBothOff,
  reopens: true,
  trimsReasoning: true,
});

/** MiniMax M2, which always reasons. */
export const minimaxM2 = reasoningWithCalls({
  ...THINK,
  call: '<minimax:tool_call>',
  turns: [']~b]'],
  reasons: () => true,
  trimsReasoning: true,
});

/** Kimi K2 Thinking. */
export const kimiK2 = reasoningWithCalls({
  ...THINK,
  call: '<|tool_calls_section_begin|>',
  turns: ['<|im_user|>', '<|im_assistant|>', '<|im_system|>'],
  reasons: unlessBothOff,
  trimsReasoning: true,
});

type Variables = ReasoningContext['templateKwargs'];

function unlessDisabled({ enable_thinking: enabled = true }: Variables): boolean {
  return Boolean(enabled);
}

/** Two names for one variable: reasoning is on when either is, and when neither is given. */
function unlessBothOff({ thinking, enable_thinking: enabled }: Variables): boolean {
  return (thinking == null && enabled == null) || Boolean(thinking) || Boolean(enabled);
}
