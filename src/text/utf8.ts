const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** Decode; what is not UTF-8 becomes U+FFFD. */
export function decodeLossy(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}

export const REPLACEMENT = '\uFFFD';

export function concatBytes(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
