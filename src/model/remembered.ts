import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { StartupError } from '../errors.js';

interface Stored<T> {
  path: string;
  fingerprint: string;
  value: T;
}

/**
 * What `make` finds out about a file, as JSON. It is kept under `kind` in `cacheDir` together with the file's size,
 * inode and times to the nanosecond, and made again when they change. Throws a StartupError when there is no such file.
 */
export async function remembered<T>(
  path: string,
  { cacheDir, kind }: { cacheDir: string; kind: string },
  make: (path: string) => Promise<T>,
): Promise<T> {
  const absolute = resolve(path);
  const fingerprint = await fingerprintOf(absolute);
  const name = createHash('sha256').update(absolute).digest('hex').slice(0, 32);
  const place = join(cacheDir, kind, `${name}.json`);
  const known = await readStored<T>(place);
  if (known?.path === absolute && known.fingerprint === fingerprint && known.value !== undefined) {
    return known.value;
  }
  const value = await make(absolute);
  await store<T>(place, { path: absolute, fingerprint, value });
  return value;
}

async function fingerprintOf(path: string): Promise<string> {
  try {
    const { size, mtimeNs, ctimeNs, ino } = await stat(path, { bigint: true });
    return [size, mtimeNs, ctimeNs, ino].join('-');
  } catch (error) {
    throw new StartupError(`${path} can't be read: ${(error as Error).message}`);
  }
}

async function readStored<T>(place: string): Promise<Stored<T> | null> {
  try {
    return JSON.parse(await readFile(place, 'utf8')) as Stored<T>;
  } catch {
    return null;
  }
}

/** A cache that can't be written costs the work again at the next start, nothing else. */
async function store<T>(place: string, stored: Stored<T>): Promise<void> {
  try {
    await mkdir(dirname(place), { recursive: true });
    const temporary = `${place}.${process.pid}`;
    await writeFile(temporary, JSON.stringify(stored));
    await rename(temporary, place);
  } catch {
    return;
  }
}
