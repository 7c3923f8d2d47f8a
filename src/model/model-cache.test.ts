import { mkdir, readdir, readFile, rm, stat, truncate, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { StartupError } from '../errors.js';
import { defaultCacheDir, finishedFolder } from './model-cache.js';
import { temporaryFolder } from './testing/temporary-folder.js';

/** Fills a folder with one file, and counts how often. */
function filler(content = 'weights'): { fill: (folder: string) => Promise<string>; times: () => number } {
  let count = 0;
  const fill = async (folder: string): Promise<string> => {
    count++;
    await writeFile(join(folder, 'data'), content);
    return content;
  };
  return { fill, times: () => count };
}

const failing =
  (code: string) =>
  async (folder: string): Promise<never> => {
    await writeFile(join(folder, 'data'), 'half of it');
    throw Object.assign(new Error(`${code}: write`), { code });
  };

describe('finishedFolder', () => {
  it('is made once, then found', async () => {
    const folder = join(await temporaryFolder(), 'graphs', 'a');
    const { fill, times } = filler();
    expect(await finishedFolder(folder, fill)).toBe('weights');
    expect(await finishedFolder(folder, fill)).toBe('weights');
    expect(times()).toBe(1);
    expect(await readFile(join(folder, 'data'), 'utf8')).toBe('weights');
    expect(await readdir(join(folder, '..'))).toEqual(['a']);
  });

  it.each([
    ['a file is cut short', (folder: string) => truncate(join(folder, 'data'), 3)],
    ['a file is gone', (folder: string) => rm(join(folder, 'data'))],
    ['the manifest is gone', (folder: string) => rm(join(folder, 'manifest.json'))],
    ['the manifest is damaged', (folder: string) => truncate(join(folder, 'manifest.json'), 9)],
  ])('is made again when %s', async (_, damage) => {
    const folder = join(await temporaryFolder(), 'a');
    const { fill, times } = filler();
    await finishedFolder(folder, fill);
    await damage(folder);
    expect(await finishedFolder(folder, fill)).toBe('weights');
    expect(times()).toBe(2);
    expect((await stat(join(folder, 'data'))).size).toBe(7);
  });

  it('serves several makers at once', async () => {
    const folder = join(await temporaryFolder(), 'a');
    const makers = Array.from({ length: 8 }, () => filler());
    const contents = await Promise.all(makers.map(({ fill }) => finishedFolder(folder, fill)));
    expect(contents).toEqual(Array(8).fill('weights'));
    expect(await readdir(join(folder, '..'))).toEqual(['a']);
  });

  it.each(['ENOSPC', 'EDQUOT'])('says what to do on %s and leaves nothing behind', async (code) => {
    const parent = await temporaryFolder();
    const error = await finishedFolder(join(parent, 'a'), failing(code)).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(StartupError);
    expect((error as Error).message).toMatch(/No space is left.*TITO_CACHE/);
    expect(await readdir(parent)).toEqual([]);
  });

  it('leaves nothing behind on any other failure, and passes it on', async () => {
    const parent = await temporaryFolder();
    await expect(finishedFolder(join(parent, 'a'), failing('EWHATEVER'))).rejects.toThrow('EWHATEVER: write');
    expect(await readdir(parent)).toEqual([]);
  });

  it('says what to do when the cache is not a folder', async () => {
    const parent = await temporaryFolder();
    await writeFile(join(parent, 'file'), '');
    await expect(finishedFolder(join(parent, 'file', 'a'), filler().fill)).rejects.toThrow(
      /cache .* can't be written .*TITO_CACHE/,
    );
  });

  it('sweeps away what a killed build left an hour ago, not what runs now', async () => {
    const parent = await temporaryFolder();
    for (const name of ['.making-old', '.making-new']) await mkdir(join(parent, name));
    const old = new Date(Date.now() - 2 * 3_600_000);
    await utimes(join(parent, '.making-old'), old, old);
    await finishedFolder(join(parent, 'a'), filler().fill);
    expect((await readdir(parent)).sort()).toEqual(['.making-new', 'a']);
  });
});

describe('defaultCacheDir', () => {
  it.each([
    [{ TITO_CACHE: '/here', XDG_CACHE_HOME: '/there' }, '/here'],
    [{ XDG_CACHE_HOME: '/there' }, '/there/tito'],
    [{ XDG_CACHE_HOME: '' }, /\/\.cache\/tito$/],
    [{}, /\/\.cache\/tito$/],
  ] as Array<[NodeJS.ProcessEnv, string | RegExp]>)('for %j', (env, expected) => {
    if (typeof expected === 'string') expect(defaultCacheDir(env)).toBe(expected);
    else expect(defaultCacheDir(env)).toMatch(expected);
  });
});
