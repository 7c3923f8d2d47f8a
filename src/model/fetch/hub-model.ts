import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { StartupError } from '../../errors.js';
import { explainWriteError } from '../model-cache.js';
import type { Progress } from '../progress.js';
import { CachedRepository } from './hub-cache.js';
import { HubClient, HubUnreachable, type RemoteCommit, type RemoteFile } from './hub-client.js';
import { type Choice, type ModelFiles, modelFiles } from './hub-files.js';
import type { HubName } from './hub-name.js';
import { resumedDownload } from './resumed-download.js';

export interface HubJob {
  name: HubName;
  /** Branch, tag or commit. */
  revision: string;
  /** The hub's cache. */
  cacheDir: string;
  /** Whether weights are wanted; without them a folder is spoken with, not run. A GGUF file always comes whole. */
  weights: boolean;
  progress: Progress;
}

/**
 * The local path of a model of the Hugging Face hub: a folder, or a GGUF file. What is not in the cache is fetched, and
 * only what is needed. With `HF_HUB_OFFLINE`, or when the hub can't be reached, the cache must do. Throws a
 * StartupError that says what to do.
 */
export async function hubModel(job: HubJob, env: NodeJS.ProcessEnv = process.env): Promise<string> {
  const cache = new CachedRepository(job.cacheDir, job.name.repository);
  try {
    const isOffline = /^(1|true|yes|on)$/i.test(env.HF_HUB_OFFLINE ?? '');
    if (isOffline) return await fromCache(job, cache, 'HF_HUB_OFFLINE is set');
    const isFixed = /^[0-9a-f]{40}$/.test(job.revision);
    const known = isFixed ? await fromCache(job, cache, '').catch(() => null) : null;
    return known ?? (await fromHub(job, cache, new HubClient(env)));
  } catch (error) {
    if (error instanceof HubUnreachable) return fromCache(job, cache, error.message);
    throw explainWriteError(error, job.cacheDir);
  }
}

/** Throws a StartupError when the cache does not hold all of it; `why` says why the hub wasn't asked. */
async function fromCache(job: HubJob, cache: CachedRepository, why: string): Promise<string> {
  const { repository } = job.name;
  const commit = await cache.commitOf(job.revision);
  const listed = commit === null ? [] : await cache.files(commit);
  if (commit === null || listed.length === 0) {
    throw new StartupError(
      `${why}, and revision "${job.revision}" of ${repository} is not in ${job.cacheDir}.`,
    );
  }
  const folder = cache.snapshot(commit);
  const read = (path: string): Promise<string> => readFile(join(folder, path), 'utf8');
  const files = await modelFiles(listed, choice(job, read)).catch((error: Error) => {
    throw new StartupError(`${why}, and ${repository} is not whole in ${job.cacheDir}: ${error.message}`);
  });
  if (why !== '') job.progress.note(`${why}: ${repository} comes from the cache.`);
  return placeOf(folder, files);
}

async function fromHub(job: HubJob, cache: CachedRepository, hub: HubClient): Promise<string> {
  const { repository } = job.name;
  const commit = await hub.commit(repository, job.revision);
  const listed = new Map((await hub.files(commit)).map((file) => [file.path, file]));
  const folder = cache.snapshot(commit.commit);
  const read = async (path: string): Promise<string> => {
    await fetchAll(job, cache, hub, commit, [listed.get(path)!]);
    return readFile(join(folder, path), 'utf8');
  };
  const files = await modelFiles([...listed.keys()], choice(job, read));
  await fetchAll(
    job,
    cache,
    hub,
    commit,
    files.paths.map((path) => listed.get(path)!),
  );
  await cache.remember(job.revision, commit.commit);
  return placeOf(folder, files);
}

async function fetchAll(
  { name, progress }: HubJob,
  cache: CachedRepository,
  hub: HubClient,
  commit: RemoteCommit,
  files: readonly RemoteFile[],
): Promise<void> {
  const missing: RemoteFile[] = [];
  for (const file of files) {
    const isTwin = missing.some(({ oid }) => oid === file.oid);
    if (!isTwin && !(await cache.has(file))) missing.push(file);
  }
  const bytes = missing.reduce((sum, { size }) => sum + size, 0);
  const bar = missing.length > 0 ? progress.start(`Fetching ${name.repository}`, bytes, 'bytes') : null;
  try {
    for (const file of files) {
      if (missing.includes(file)) {
        await fetchOne(cache, hub, commit, file, (amount) => bar?.advance(amount));
      }
      await cache.link(commit.commit, file);
    }
  } finally {
    bar?.end();
  }
}

async function fetchOne(
  cache: CachedRepository,
  hub: HubClient,
  commit: RemoteCommit,
  file: RemoteFile,
  advance: (bytes: number) => void,
): Promise<void> {
  let shown = 0;
  const onSize = (size: number): void => {
    advance(Math.max(0, size - shown));
    shown = Math.max(shown, size);
  };
  const target = await cache.blob(file);
  try {
    await resumedDownload(file, target, () => hub.open(commit, file.path), onSize);
  } catch (error) {
    const explained = explainWriteError(error, target);
    if (explained instanceof StartupError) throw explained;
    const { message } = hub.explain(commit.repository, commit.commit, error) as Error;
    throw new StartupError(
      `${file.path} of ${commit.repository} could not be fetched whole: ${message}. Start again to go on from there.`,
    );
  }
}

function choice({ name, weights }: HubJob, read: Choice['read']): Choice {
  return { ...name, weights, read };
}

function placeOf(folder: string, { file }: ModelFiles): string {
  return file === null ? folder : join(folder, file);
}
