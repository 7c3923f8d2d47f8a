import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { StartupError } from '../errors.js';

/** A temporary folder left by a process that was killed is swept away after this. */
const ABANDONED_AFTER_MS = 3_600_000;
const TEMPORARY = '.making-';
const MANIFEST = 'manifest.json';

const NO_SPACE: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT']);
const NOT_WRITABLE: ReadonlySet<string> = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'EEXIST']);

/** Where models and built graphs are kept: `TITO_CACHE`, or `tito` in the user's cache folder. */
export function defaultCacheDir(env: NodeJS.ProcessEnv = process.env): string {
  if (env.TITO_CACHE) return resolve(env.TITO_CACHE);
  return join(env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'tito');
}

interface Manifest<T> {
  content: T;
  /** Size of each file in the folder, in bytes. */
  files: Record<string, number>;
}

/**
 * The content of a finished folder, or null when there is none, or when a file of it is missing or of another size
 * than when it was written.
 */
async function readFinished<T>(folder: string): Promise<T | null> {
  try {
    const manifest = JSON.parse(await readFile(join(folder, MANIFEST), 'utf8')) as Manifest<T>;
    for (const [name, size] of Object.entries(manifest.files)) {
      if ((await stat(join(folder, name))).size !== size) return null;
    }
    return manifest.content;
  } catch {
    return null;
  }
}

/**
 * The folder's content: as it is when finished, else made. `fill` writes into a temporary folder, which takes the
 * name when it is complete, so that a finished folder is always whole; on failure nothing is left behind. Several
 * processes may make the same folder at once: the first one's stays. Throws a StartupError when the disk is full or
 * the cache can't be written.
 */
export async function finishedFolder<T>(folder: string, fill: (temporary: string) => Promise<T>): Promise<T> {
  const found = await readFinished<T>(folder);
  if (found !== null) return found;
  const parent = dirname(folder);
  return inTemporaryFolder(parent, async (temporary) => {
    const content = await fill(temporary);
    const manifest: Manifest<T> = { content, files: await fileSizes(temporary) };
    await writeFile(join(temporary, MANIFEST), JSON.stringify(manifest), { flush: true });
    await publish(temporary, folder);
    return content;
  });
}

/**
 * Work in a new folder under `parent` that is gone afterwards, whatever happens. Throws a StartupError when the disk
 * is full or `parent` can't be written.
 */
export async function inTemporaryFolder<T>(
  parent: string,
  work: (temporary: string) => Promise<T>,
): Promise<T> {
  const temporary = join(parent, `${TEMPORARY}${randomUUID()}`);
  try {
    await mkdir(temporary, { recursive: true });
    await sweepAbandoned(parent).catch(() => {});
    return await work(temporary);
  } catch (error) {
    throw explainWriteError(error, parent);
  } finally {
    await rm(temporary, { recursive: true, force: true }).catch(() => {});
  }
}

/** Give the folder its name, unless another process was quicker. A damaged folder of that name makes way. */
async function publish(temporary: string, folder: string): Promise<void> {
  for (;;) {
    try {
      return await rename(temporary, folder);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== 'ENOTEMPTY' && code !== 'EEXIST') throw error;
      if ((await readFinished(folder)) !== null) return;
      await moveAway(folder, `${temporary}-damaged`);
    }
  }
}

async function moveAway(folder: string, aside: string): Promise<void> {
  try {
    await rename(folder, aside);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  await rm(aside, { recursive: true, force: true });
}

/** Turns what the file system said into a StartupError that says what to do; other errors come back unchanged. */
export function explainWriteError(error: unknown, folder: string): unknown {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === undefined) return error;
  if (NO_SPACE.has(code)) {
    return new StartupError(
      `No space is left for the cache ${folder}. Free some, or set TITO_CACHE to a folder on another disk.`,
    );
  }
  if (NOT_WRITABLE.has(code)) {
    return new StartupError(
      `The cache ${folder} can't be written (${message}). Set TITO_CACHE to a folder that can.`,
    );
  }
  return error;
}

async function fileSizes(folder: string): Promise<Record<string, number>> {
  const sizes: Record<string, number> = {};
  for (const name of await readdir(folder)) sizes[name] = (await stat(join(folder, name))).size;
  return sizes;
}

async function sweepAbandoned(parent: string): Promise<void> {
  for (const name of await readdir(parent)) {
    if (!name.startsWith(TEMPORARY)) continue;
    const path = join(parent, name);
    const age = Date.now() - (await stat(path)).mtimeMs;
    if (age > ABANDONED_AFTER_MS) await rm(path, { recursive: true, force: true });
  }
}
