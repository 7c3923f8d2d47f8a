import { createHash } from 'node:crypto';
import { readdir, readFile, truncate, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sourceRecord } from './source-record.js';
import { temporaryFolder } from './testing/temporary-folder.js';

const hash = (text: string): string => createHash('sha256').update(text).digest('hex');

describe('sourceRecord', () => {
  it('hashes, remembers, and hashes again when the file changed', async () => {
    const folder = await temporaryFolder();
    const path = join(folder, 'a.gguf');
    await writeFile(path, 'one');
    expect((await sourceRecord(path, folder)).sha256).toBe(hash('one'));
    const [record] = await readdir(join(folder, 'hashes'));
    await writeFile(path, 'two');
    await utimes(path, 1, 1);
    expect((await sourceRecord(path, folder)).sha256).toBe(hash('two'));
    expect(await readdir(join(folder, 'hashes'))).toEqual([record]);
  });

  it('does not read the file again while it stays the same', async () => {
    const folder = await temporaryFolder();
    const path = join(folder, 'a.gguf');
    await writeFile(path, 'one');
    await sourceRecord(path, folder);
    const place = join(folder, 'hashes', (await readdir(join(folder, 'hashes')))[0]!);
    const stored = JSON.parse(await readFile(place, 'utf8'));
    await writeFile(place, JSON.stringify({ ...stored, sha256: 'remembered' }));
    expect((await sourceRecord(path, folder)).sha256).toBe('remembered');
    await truncate(place, 5);
    expect((await sourceRecord(path, folder)).sha256).toBe(hash('one'));
  });

  it('names a file that can not be read', async () => {
    await expect(sourceRecord('/nowhere/a.gguf', await temporaryFolder())).rejects.toThrow(
      /^\/nowhere\/a\.gguf can't be read: ENOENT/,
    );
  });
});
