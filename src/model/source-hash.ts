import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { remembered } from './remembered.js';

/** SHA-256 of a file; reading 100 MB takes a third of a second, so it is remembered. Throws a StartupError. */
export function sourceHash(path: string, cacheDir: string): Promise<string> {
  return remembered(path, { cacheDir, kind: 'hashes' }, sha256Of);
}

/** Hash of a file's content in hexadecimal. */
export async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 })) hash.update(chunk as Buffer);
  return hash.digest('hex');
}
