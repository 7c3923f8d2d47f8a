import { type Tokenizer, withoutLeadingSpaces } from './tokenizer.js';
import { concatBytes, decodeLossy, REPLACEMENT, unfinishedBytes } from './utf8.js';

/** No UTF-8 character is longer, so no more tokens of the prompt can matter. */
const MAX_OPEN_PROMPT_IDS = 3;

/** So much text behind a broken character is let go, in UTF-16 units: what is kept must not grow with the output. */
const MOST_HELD = 1024;

/** What a detokenizer remembers between two tokens; plain JSON of bounded size. */
export interface DetokenizerState {
  /** Text that is held back because it ends in a broken character. */
  held: string;
  /** Bytes behind it that begin a character. */
  open: number[];
  /** Nothing visible came before: spaces that encoding puts in front of a text go. */
  fresh: boolean;
}

/**
 * Decodes a growing list of ids, token by token, at a constant cost. Text is held back while it ends in a piece of
 * a character, so that a delta never holds a broken character that a later token completes; what nothing completes
 * is dropped with the text held back before it (as the reference does). Bytes that can't become a character come
 * out as U+FFFD with the next sound text. Pieces at the end of the prompt count. Added tokens are never set apart
 * by spaces, so `spaces_between_special_tokens` changes nothing.
 */
export class IncrementalDetokenizer {
  #held = '';
  #open: Uint8Array = new Uint8Array(0);
  #fresh: boolean;

  /** `promptIds`: the whole prompt or its last part. */
  constructor(
    private readonly tokenizer: Tokenizer,
    promptIds: ArrayLike<number>,
    private readonly skipSpecialTokens: boolean,
  ) {
    this.#fresh = !this.#showsText(promptIds);
    this.#open = this.#openPiece(promptIds);
  }

  /** Go on from a state that `state()` gave. */
  static resume(
    tokenizer: Tokenizer,
    { held, open, fresh }: DetokenizerState,
    skipSpecialTokens: boolean,
  ): IncrementalDetokenizer {
    const detokenizer = new IncrementalDetokenizer(tokenizer, [], skipSpecialTokens);
    detokenizer.#held = held;
    detokenizer.#open = Uint8Array.from(open);
    detokenizer.#fresh = fresh;
    return detokenizer;
  }

  state(): DetokenizerState {
    return { held: this.#held, open: [...this.#open], fresh: this.#fresh };
  }

  /** The text that this id adds. */
  push(id: number): string {
    if (this.skipSpecialTokens && this.tokenizer.isSpecial(id)) return '';
    const added = this.tokenizer.bytes(id);
    if (added.length === 0) return '';
    const bytes = concatBytes([this.#open, added]);
    const open = unfinishedBytes(bytes);
    const sound = decodeLossy(bytes.subarray(0, bytes.length - open));
    this.#open = bytes.slice(bytes.length - open);
    this.#held += this.#fresh ? withoutLeadingSpaces(sound, this.tokenizer.leadingSpaces) : sound;
    this.#fresh = false;
    const isBroken = open > 0 || this.#held.endsWith(REPLACEMENT);
    return isBroken && this.#held.length <= MOST_HELD ? '' : this.#release();
  }

  #release(): string {
    const text = this.#held;
    this.#held = '';
    return text;
  }

  #showsText(ids: ArrayLike<number>): boolean {
    if (this.tokenizer.leadingSpaces === 0) return true;
    for (let i = ids.length - 1; i >= 0; i--) {
      const isHidden = this.skipSpecialTokens && this.tokenizer.isSpecial(ids[i]!);
      if (!isHidden && this.tokenizer.bytes(ids[i]!).length > 0) return true;
    }
    return false;
  }

  /** Bytes of an unfinished character at the end of the prompt. */
  #openPiece(ids: ArrayLike<number>): Uint8Array {
    const parts: Uint8Array[] = [];
    for (let i = ids.length - 1; i >= 0 && parts.length < MAX_OPEN_PROMPT_IDS; i--) {
      if (!(this.skipSpecialTokens && this.tokenizer.isSpecial(ids[i]!))) {
        parts.unshift(this.tokenizer.bytes(ids[i]!));
      }
    }
    const bytes = concatBytes(parts);
    return bytes.slice(bytes.length - unfinishedBytes(bytes));
  }
}
