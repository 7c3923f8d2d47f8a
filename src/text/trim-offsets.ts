import type { TokenOffset } from './token-places.js';

type Json = Readonly<Record<string, unknown>>;

/** Leaves the spaces at the ends of tokens out of their offsets. */
export type OffsetTrimmer = (offset: TokenOffset, token: string, isFirst: boolean) => TokenOffset;

/**
 * What the post-processor of a tokenizer.json asks for: byte-level ones (`trim_offsets`) count a token's spaces as
 * not belonging to it, except for a single one at the very start, which encoding may have put there. Null = nothing.
 */
export function offsetTrimmer(postProcessor: Json | null): OffsetTrimmer | null {
  const step = findTrimming(postProcessor);
  if (!step) return null;
  const ownsFirstSpace = step.add_prefix_space !== false;
  return ([start, end], token, isFirst) => {
    const leading = /^[Ġ\p{White_Space}]*/u.exec(token)![0].length;
    const trailing = /[Ġ\p{White_Space}]*$/u.exec(token)![0].length;
    const kept = leading === 1 && ownsFirstSpace && (isFirst || start === 0) ? 1 : 0;
    const from = Math.min(start + leading - kept, end);
    return [from, end >= trailing ? Math.max(end - trailing, from) : end];
  };
}

function findTrimming(step: Json | null): Json | null {
  if (step?.type === 'Sequence') return (step.processors as Json[]).map(findTrimming).find(Boolean) ?? null;
  const canTrim = step?.type === 'ByteLevel' || step?.type === 'RobertaProcessing';
  return step && canTrim && step.trim_offsets !== false ? step : null;
}
