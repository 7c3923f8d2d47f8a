import { encodeUtf8 } from './utf8.js';

/**
 * The byte alphabet of byte-level BPE (GPT-2): each byte stands as one printable character. Printable bytes of
 * Latin-1 stand for themselves; the others take the code points from 256 on, in order.
 */
export const BYTE_CHARACTERS: readonly string[] = alphabet();
const BYTE_OF_CHARACTER: ReadonlyMap<string, number> = new Map(
  BYTE_CHARACTERS.map((character, byte) => [character, byte]),
);

function alphabet(): string[] {
  let next = 256;
  const isPrintable = (byte: number): boolean =>
    (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174;
  return Array.from({ length: 256 }, (_, byte) => String.fromCodePoint(isPrintable(byte) ? byte : next++));
}

/** The bytes of a vocabulary entry. One with a character outside the alphabet stands for itself, as a whole. */
export function bytesOfToken(token: string): Uint8Array {
  const bytes: number[] = [];
  for (const character of token) {
    const byte = BYTE_OF_CHARACTER.get(character);
    if (byte === undefined) return encodeUtf8(token);
    bytes.push(byte);
  }
  return Uint8Array.from(bytes);
}

/** Bytes as characters of the byte alphabet. */
export function byteCharacters(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => BYTE_CHARACTERS[byte]!).join('');
}

/** A text as characters of the byte alphabet, one for each of its UTF-8 bytes. */
export function textToByteCharacters(text: string): string[] {
  return Array.from(encodeUtf8(text), (byte) => BYTE_CHARACTERS[byte]!);
}
