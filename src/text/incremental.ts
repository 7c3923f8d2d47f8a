import type { Tokenizer } from './tokenizer.js';
import { concatBytes, decodeLossy, REPLACEMENT } from './utf8.js';

/** No UTF-8 character is longer, so no more bytes of the prompt can matter. */
const MAX_PENDING_PROMPT_IDS = 4;

/**
 * Decodes a growing list of ids, token by token, at a constant cost. Text is held back while it ends in a piece of
 * a character (as the reference's `DecodeStream` does), so a delta never holds a broken character that a later
 * token completes; a piece that nothing completes is dropped. Pieces at the end of the prompt count.
 */
export class IncrementalDetokenizer {
  #pending: Uint8Array[];

  constructor(
    private readonly tokenizer: Tokenizer,
    promptIds: ArrayLike<number>,
    private readonly skipSpecialTokens: boolean,
  ) {
    this.#pending = this.#openPiece(promptIds);
  }

  /** The text that this id adds. */
  push(id: number): string {
    if (this.skipSpecialTokens && this.tokenizer.isSpecial(id)) return '';
    const bytes = this.tokenizer.bytes(id);
    if (bytes.length === 0) return '';
    this.#pending.push(bytes);
    const text = decodeLossy(concatBytes(this.#pending));
    if (text.endsWith(REPLACEMENT)) return '';
    this.#pending = [];
    return text;
  }

  /** Bytes of an unfinished character at the end of the prompt. */
  #openPiece(promptIds: ArrayLike<number>): Uint8Array[] {
    const open: Uint8Array[] = [];
    for (let i = promptIds.length - 1; i >= 0 && open.length < MAX_PENDING_PROMPT_IDS; i--) {
      const bytes = this.tokenizer.bytes(promptIds[i]!);
      if (!decodeLossy(bytes).endsWith(REPLACEMENT)) break;
      open.unshift(bytes);
      if (!decodeLossy(concatBytes(open)).endsWith(REPLACEMENT)) return [];
    }
    return open;
  }
}
