const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** What stands for bytes that are not UTF-8. */
export const REPLACEMENT = '\uFFFD';

/** The UTF-8 bytes of a text; a lone surrogate gives those of U+FFFD. */
export function encodeUtf8(text: string): Uint8Array {
  return encoder.encode(text);
}

/** Decode; each maximal piece that is not UTF-8 becomes one U+FFFD (as in Rust and in the WHATWG standard). */
export function decodeLossy(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}

/** One array of all the bytes, in order. */
export function concatBytes(parts: readonly Uint8Array[]): Uint8Array {
  if (parts.length === 1) return parts[0]!;
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** How many bytes at the end begin a character that further bytes could complete: 0 to 3. */
export function unfinishedBytes(bytes: Uint8Array): number {
  const deepest = Math.min(3, bytes.length);
  for (let back = 1; back <= deepest; back++) {
    const byte = bytes[bytes.length - back]!;
    if (isContinuation(byte)) continue;
    if (lengthOfCharacter(byte) <= back) return 0;
    return back === 1 || isSecondByte(byte, bytes[bytes.length - back + 1]!) ? back : 0;
  }
  return 0;
}

function isContinuation(byte: number): boolean {
  return (byte & 0xc0) === 0x80;
}

/** By the first byte; 1 for bytes that begin no character. */
function lengthOfCharacter(first: number): number {
  if (first < 0xc2 || first > 0xf4) return 1;
  if (first < 0xe0) return 2;
  return first < 0xf0 ? 3 : 4;
}

/** Some first bytes allow only a part of the continuation bytes: no overlong forms, surrogates, or values past U+10FFFF. */
function isSecondByte(first: number, second: number): boolean {
  if (first === 0xe0) return second >= 0xa0;
  if (first === 0xed) return second < 0xa0;
  if (first === 0xf0) return second >= 0x90;
  return first !== 0xf4 || second < 0x90;
}
