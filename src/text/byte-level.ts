/**
 * The byte alphabet of byte-level BPE (GPT-2): each byte stands as one printable character. Printable bytes of
 * Latin-1 stand for themselves; the others take the code points from 256 on, in order.
 */
const BYTE_OF_CHARACTER: ReadonlyMap<string, number> = new Map(alphabet());

function* alphabet(): Generator<[string, number]> {
  let next = 256;
  for (let byte = 0; byte < 256; byte++) {
    const isPrintable = (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174;
    yield [String.fromCodePoint(isPrintable ? byte : next++), byte];
  }
}

const encoder = new TextEncoder();

/** The bytes of a vocabulary entry; characters outside the alphabet give their UTF-8 bytes. */
export function bytesOfToken(token: string): Uint8Array {
  const bytes: number[] = [];
  for (const character of token) {
    const byte = BYTE_OF_CHARACTER.get(character);
    if (byte === undefined) bytes.push(...encoder.encode(character));
    else bytes.push(byte);
  }
  return Uint8Array.from(bytes);
}
