import { createHash } from 'node:crypto';
import { readdir, readFile, truncate, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sourceHash } from './source-hash.js';
import { temporaryFolder } from './testing/temporary-folder.js';

const hash = (text: string): string => createHash('sha256').update(text).digest('hex');

describe('a remembered hash', () => {
  it('is made again when the file changed', async () => {
    const folder = await temporaryFolder();
    const path = join(folder, 'a.gguf');
    await writeFile(path, 'one');
    expect(await sourceHash(path, folder)).toBe(hash('one'));
    const [record] = await readdir(join(folder, 'hashes'));
    await writeFile(path, 'two');
    await utimes(path, 1, 1);
    expect(await sourceHash(path, folder)).toBe(hash('two'));
    expect(await readdir(join(folder, 'hashes'))).toEqual([record]);
  });

  it('is not made again while the file stays the same', async () => {
    const folder = await temporaryFolder();
    const path = join(folder, 'a.gguf');
    await writeFile(path, 'one');
    await sourceHash(path, folder);
    const place = join(folder, 'hashes', (await readdir(join(folder, 'hashes')))[0]!);
    const stored = JSON.parse(await readFile(place, 'utf8'));
    await writeFile(place, JSON.stringify({ ...stored, value: 'remembered' }));
    expect(await sourceHash(path, folder)).toBe('remembered');
    await truncate(place, 5);
    expect(await sourceHash(path, folder)).toBe(hash('one'));
  });

  it('names a file that can not be read', async () => {
    await expect(sourceHash('/nowhere/a.gguf', await temporaryFolder())).rejects.toThrow(
      /^\/nowhere\/a\.gguf can't be read: ENOENT/,
    );
  });
});
