import type { TokenOffset } from './token-places.js';
import type { Tokenizer } from './tokenizer.js';

export interface EncodeOptions {
  /** Add what the tokenizer puts around a text, such as BOS. */
  addSpecialTokens: boolean;
  /** Give the characters that each token came from. */
  withOffsets: boolean;
}

export interface EncodedText {
  ids: number[];
  /** Null unless asked for. */
  offsets: TokenOffset[] | null;
}

/** Encodes texts without holding up the thread that asks. */
export interface TextEncoder {
  encode(text: string, options: EncodeOptions): Promise<EncodedText>;
  close(): Promise<void>;
}

/** Encode on this thread. */
export function encodeText(tokenizer: Tokenizer, text: string, options: EncodeOptions): EncodedText {
  const { addSpecialTokens, withOffsets } = options;
  if (withOffsets) return tokenizer.encodeWithOffsets(text, addSpecialTokens);
  return { ids: tokenizer.encode(text, addSpecialTokens), offsets: null };
}
