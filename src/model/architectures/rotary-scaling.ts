import { StartupError } from '../../errors.js';
import type { Metadata } from '../gguf/metadata.js';

/** How rotary frequencies differ from base^(−2i / dim), and by what cosines and sines are multiplied. */
export type RotaryScaling =
  | { kind: 'linear'; factor: number }
  | {
      kind: 'yarn';
      factor: number;
      originalContext: number;
      /** Turns over the original context above which a frequency is kept, and below which it is divided. */
      betaFast: number;
      betaSlow: number;
      magnitude: number;
    }
  /** Each frequency is divided by its factor, which a tensor holds. */
  | { kind: 'factors'; tensor: string; magnitude: number };

/** Tensors of factors in GGUF files: of Llama 3, and of LongRoPE. */
export const ROTARY_FACTORS = 'rope_freqs.weight';
export const LONG_FACTORS = 'rope_factors_long.weight';
export const SHORT_FACTORS = 'rope_factors_short.weight';

/**
 * The scaling that a GGUF file's metadata asks for, but for tensors of factors. Throws a StartupError for a kind that is
 * not known. YaRN as in arXiv:2309.00071.
 */
export function rotaryScaling(metadata: Metadata, name: string): RotaryScaling | undefined {
  const key = (part: string): string => `${name}.rope.scaling.${part}`;
  const kind = metadata.optionalString(key('type')) ?? 'none';
  if (kind === 'none' || kind === 'longrope') return undefined;
  if (kind === 'linear') return { kind, factor: metadata.number(key('factor')) };
  if (kind !== 'yarn') {
    throw new StartupError(
      `Rotary scaling "${kind}" (${metadata.nameOf(key('type'))}) of architecture ${name} is not supported. ` +
        'Supported: linear, yarn, longrope, llama3.',
    );
  }
  const factor = metadata.number(key('factor'));
  return {
    kind,
    factor,
    originalContext: metadata.count(key('original_context_length')),
    betaFast: metadata.optionalNumber(key('yarn_beta_fast')) ?? 32,
    betaSlow: metadata.optionalNumber(key('yarn_beta_slow')) ?? 1,
    magnitude: (metadata.optionalNumber(key('attn_factor')) ?? 1) * yarnMagnitude(factor),
  };
}

/** 0.1 · ln(factor) + 1. */
export function yarnMagnitude(factor: number): number {
  return factor <= 1 ? 1 : 0.1 * Math.log(factor) + 1;
}
