import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import { StartupError } from '../../errors.js';
import type { RemoteFile } from './hub-client.js';

/** A connection that breaks is taken up again this often, as long as none of the tries in a row brings nothing. */
const FRUITLESS_TRIES = 3;
const PAUSE_MS = 300;

/**
 * Download a file to `target`, whose folder exists. It grows under a name of its own; what an earlier process left
 * unfinished there is gone on with. Only content of the listed hash takes the name. `onSize` is told how many bytes are
 * there. Throws a StartupError for other content, else what `open` or the connection threw.
 */
export async function resumedDownload(
  file: RemoteFile,
  target: string,
  open: () => Promise<Blob>,
  onSize: (bytes: number) => void,
): Promise<void> {
  const partial = await adoptPartial(target);
  if (file.size === 0) await writeFile(partial, '');
  else await fill(file.size, partial, open, onSize);
  const isWhole = (await contentHash(partial, file)) === file.oid;
  if (!isWhole) {
    await rm(partial, { force: true });
    throw new StartupError(
      `${file.path} came with other content than the hub lists (expected ${file.oid}). It was removed. Try again.`,
    );
  }
  await rename(partial, target);
}

async function fill(
  size: number,
  partial: string,
  open: () => Promise<Blob>,
  onSize: (bytes: number) => void,
): Promise<void> {
  for (let fruitless = 0; ; ) {
    const have = await sizeOf(partial);
    onSize(Math.min(have, size));
    if (have >= size) return;
    try {
      await append(await open(), have, partial, onSize);
    } catch (error) {
      fruitless = (await sizeOf(partial)) > have ? 0 : fruitless + 1;
      if (fruitless >= FRUITLESS_TRIES || (error as NodeJS.ErrnoException).code === 'ENOSPC') throw error;
      if (error instanceof StartupError) throw error;
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS * fruitless));
    }
  }
}

async function append(
  blob: Blob,
  have: number,
  partial: string,
  onSize: (bytes: number) => void,
): Promise<void> {
  let size = have;
  const count = new Transform({
    transform(chunk: Uint8Array, _encoding, done) {
      size += chunk.length;
      onSize(size);
      done(null, chunk);
    },
  });
  const rest = have === 0 ? blob : blob.slice(have);
  await pipeline(
    Readable.fromWeb(rest.stream() as ReadableStream),
    count,
    createWriteStream(partial, { flags: 'a' }),
  );
  if (size < blob.size) throw new Error('the connection ended early');
}

/**
 * The file to append to, named after this process so that two don't write into one. An unfinished file of a process
 * that is gone becomes ours.
 */
async function adoptPartial(target: string): Promise<string> {
  const [folder, name] = [dirname(target), basename(target)];
  const own = join(folder, `${name}.${process.pid}.partial`);
  for (const found of await readdir(folder)) {
    const [, writer] = new RegExp(`^${name}\\.(\\d+)\\.partial$`).exec(found) ?? [];
    if (writer === undefined || isRunning(Number(writer))) continue;
    await rename(join(folder, found), own).catch(() => {});
    return own;
  }
  return own;
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return pid !== process.pid;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

async function contentHash(path: string, { oid }: RemoteFile): Promise<string> {
  const isGitBlob = oid.length === 40;
  const hash = createHash(isGitBlob ? 'sha1' : 'sha256');
  if (isGitBlob) hash.update(`blob ${await sizeOf(path)}\0`);
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 })) hash.update(chunk as Buffer);
  return hash.digest('hex');
}

async function sizeOf(path: string): Promise<number> {
  return stat(path).then(
    ({ size }) => size,
    () => 0,
  );
}
