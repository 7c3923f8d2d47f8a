import { StartupError } from '../errors.js';
import { encodeUtf8 } from './utf8.js';

/**
 * SentencePiece's `precompiled_charsmap`: a double-array trie (Darts) from UTF-8 bytes to places in a list of
 * replacements that end in zero bytes, behind the trie's size in bytes.
 */
export class CharacterMap {
  readonly #units: Uint32Array;
  readonly #texts: Uint8Array;
  readonly #decoder = new TextDecoder();

  /** Throws a StartupError for a map that is cut short. */
  constructor(bytes: Uint8Array) {
    const size = bytes.length >= 4 ? new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true) : 0;
    if (size === 0 || size % 4 !== 0 || 4 + size > bytes.length) {
      throw new StartupError("The tokenizer's precompiled_charsmap is broken.");
    }
    this.#units = new Uint32Array(Uint8Array.from(bytes.subarray(4, 4 + size)).buffer);
    this.#texts = bytes.subarray(4 + size);
  }

  /** The longest beginning of `bytes` from `start` on that is replaced, and by what; null when none is. */
  match(bytes: Uint8Array, start: number): { length: number; text: string } | null {
    let found: { length: number; place: number } | null = null;
    let node = offset(this.#units[0]!);
    for (let at = start; at < bytes.length; at++) {
      node ^= bytes[at]!;
      const unit = this.#units[node];
      if (unit === undefined || (unit & LABEL) >>> 0 !== bytes[at]) break;
      node ^= offset(unit);
      if (unit & HAS_LEAF) found = { length: at + 1 - start, place: (this.#units[node] ?? 0) & VALUE };
    }
    return found && { length: found.length, text: this.#text(found.place) };
  }

  #text(place: number): string {
    const end = this.#texts.indexOf(0, place);
    return this.#decoder.decode(this.#texts.subarray(place, end < 0 ? this.#texts.length : end));
  }

  /** Replace what can be replaced, from left to right, the longest first. */
  apply(text: string): string {
    const bytes = encodeUtf8(text);
    let out = '';
    for (let at = 0; at < bytes.length; ) {
      const found = this.match(bytes, at);
      const length = found?.length ?? characterLength(bytes[at]!);
      out += found?.text ?? this.#decoder.decode(bytes.subarray(at, at + length));
      at += length;
    }
    return out;
  }
}

const LABEL = 0x800000ff;
const HAS_LEAF = 1 << 8;
const VALUE = 0x7fffffff;

function offset(unit: number): number {
  return (unit >>> 10) << ((unit & (1 << 9)) >>> 6);
}

function characterLength(byte: number): number {
  if (byte < 0x80) return 1;
  return byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
}
