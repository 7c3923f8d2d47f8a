import { mkdir, readdir, readFile, rename, stat, symlink, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import type { RemoteFile } from './hub-client.js';

/**
 * Where files of the hub are kept: `HF_HUB_CACHE`, or `hub` in `HF_HOME`, as for other programs; else `hub` in the
 * folder that `TITO_CACHE` names; else the place that all programs share.
 */
export function hubCacheDir(cacheDir: string | null, env: NodeJS.ProcessEnv = process.env): string {
  const named = env.HF_HUB_CACHE || env.HUGGINGFACE_HUB_CACHE;
  if (named) return named;
  const home = env.HF_HOME || cacheDir;
  return join(home || join(env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'huggingface'), 'hub');
}

/**
 * A repository in the cache, in the hub's own layout: `blobs/` by hash, `snapshots/COMMIT/` of links to them, and
 * `refs/REVISION` with the commit that a branch or tag stood for.
 */
export class CachedRepository {
  readonly #folder: string;

  constructor(cacheDir: string, repository: string) {
    this.#folder = join(cacheDir, `models--${repository.replace('/', '--')}`);
  }

  /** The commit that a revision stood for when it was last looked up; null when it never was. */
  async commitOf(revision: string): Promise<string | null> {
    if (/^[0-9a-f]{40}$/.test(revision)) return revision;
    const text = await readFile(this.#ref(revision), 'utf8').catch(() => '');
    return /^[0-9a-f]{40}$/.test(text.trim()) ? text.trim() : null;
  }

  async remember(revision: string, commit: string): Promise<void> {
    if (revision === commit) return;
    await mkdir(dirname(this.#ref(revision)), { recursive: true });
    await writeFile(`${this.#ref(revision)}.${process.pid}`, commit);
    await rename(`${this.#ref(revision)}.${process.pid}`, this.#ref(revision));
  }

  /** Paths of a commit's files that are here whole. */
  async files(commit: string): Promise<string[]> {
    const folder = this.snapshot(commit);
    const names = await readdir(folder, { recursive: true }).catch(() => []);
    const found: string[] = [];
    for (const name of names) if (await isFile(join(folder, name))) found.push(name.replaceAll('\\', '/'));
    return found.sort();
  }

  /** The folder of a commit's files. */
  snapshot(commit: string): string {
    return join(this.#folder, 'snapshots', commit);
  }

  /** The place of a content; its folder exists afterwards. */
  async blob({ oid }: RemoteFile): Promise<string> {
    const folder = join(this.#folder, 'blobs');
    await mkdir(folder, { recursive: true });
    return join(folder, oid);
  }

  /** Whether a content is here. */
  async has(file: RemoteFile): Promise<boolean> {
    return isFile(await this.blob(file));
  }

  /** Put a content under its path into a commit's folder. */
  async link(commit: string, file: RemoteFile): Promise<void> {
    const place = join(this.snapshot(commit), file.path);
    await mkdir(dirname(place), { recursive: true });
    await symlink(relative(dirname(place), await this.blob(file)), place).catch(
      (error: NodeJS.ErrnoException) => {
        if (error.code !== 'EEXIST') throw error;
      },
    );
  }

  /** Revisions with slashes or dots in them stay inside the folder. */
  #ref(revision: string): string {
    const parts = revision.split('/').map((part) => (/^\.*$/.test(part) ? `_${part}` : part));
    return join(this.#folder, 'refs', ...parts);
  }
}

async function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
}
