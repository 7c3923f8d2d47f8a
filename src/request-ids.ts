import { randomBytes } from 'node:crypto';
import { schemaFault } from './errors.js';

const MAX_REQUEST_ID = 128;

/** The caller's id, or one of ours. Throws a 400 when it is too long or not printable ASCII. */
export function callerId(header: string | undefined, body: string | null | undefined): string {
  const id = header ?? body ?? randomBytes(8).toString('hex');
  if (id.length > MAX_REQUEST_ID || !/^[ -~]*$/.test(id)) {
    throw schemaFault(
      header === undefined ? 'body.request_id' : 'header.X-Request-Id',
      `A request id has at most ${MAX_REQUEST_ID} printable ASCII characters.`,
    );
  }
  return id;
}
