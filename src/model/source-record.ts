import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { StartupError } from '../errors.js';

/** What is known of a source file, remembered while its size and times stay the same. */
export interface SourceRecord {
  sha256: string;
}

interface StoredRecord extends SourceRecord {
  path: string;
  fingerprint: string;
}

/**
 * The file's hash. Reading 100 MB takes a third of a second, so it is remembered in `cacheDir` together with size,
 * inode and times to the nanosecond. Throws a StartupError when the file can't be read.
 */
export async function sourceRecord(path: string, cacheDir: string): Promise<SourceRecord> {
  const absolute = resolve(path);
  const fingerprint = await fingerprintOf(absolute);
  const place = join(
    cacheDir,
    'hashes',
    `${createHash('sha256').update(absolute).digest('hex').slice(0, 32)}.json`,
  );
  const known = await readStored(place);
  if (known && known.path === absolute && known.fingerprint === fingerprint) return { sha256: known.sha256 };
  const record: StoredRecord = { path: absolute, fingerprint, sha256: await sha256Of(absolute) };
  await store(place, record);
  return { sha256: record.sha256 };
}

/** Hash of a file's content in hexadecimal. */
export async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 })) hash.update(chunk as Buffer);
  return hash.digest('hex');
}

async function fingerprintOf(path: string): Promise<string> {
  try {
    const { size, mtimeNs, ctimeNs, ino } = await stat(path, { bigint: true });
    return [size, mtimeNs, ctimeNs, ino].join('-');
  } catch (error) {
    throw new StartupError(`${path} can't be read: ${(error as Error).message}`);
  }
}

async function readStored(place: string): Promise<StoredRecord | null> {
  try {
    return JSON.parse(await readFile(place, 'utf8')) as StoredRecord;
  } catch {
    return null;
  }
}

/** A cache that can't be written costs a hash at the next start, nothing else. */
async function store(place: string, record: StoredRecord): Promise<void> {
  try {
    await mkdir(dirname(place), { recursive: true });
    const temporary = `${place}.${process.pid}`;
    await writeFile(temporary, JSON.stringify(record));
    await rename(temporary, place);
  } catch {
    return;
  }
}
