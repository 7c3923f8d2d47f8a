/** What the server puts before the caller's id to name a request of generate. */
const PREFIX = 'generate-tokens-';

/** A new id of a request. `crypto.randomUUID` is missing on pages without https. */
export function newRequestId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** The id that abort takes: known before the first byte of the answer, since the caller chose its part of it. */
export const abortIdOf = (requestId: string): string => PREFIX + requestId;
