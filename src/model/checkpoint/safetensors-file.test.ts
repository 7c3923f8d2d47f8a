import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SafetensorsFile } from './safetensors-file.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'safetensors-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function open(
  header: string,
  data: Uint8Array,
  length = BigInt(header.length),
): Promise<SafetensorsFile> {
  const prefix = Buffer.alloc(8);
  prefix.writeBigUInt64LE(length);
  const path = join(folder, 'file.safetensors');
  await writeFile(path, Buffer.concat([prefix, Buffer.from(header), data]));
  return SafetensorsFile.open(path);
}

const entry = (dtype: string, shape: unknown, offsets: unknown): object => ({
  dtype,
  shape,
  data_offsets: offsets,
});

describe('a safetensors file', () => {
  it('gives tensors of each format, their shapes fastest dimension first', async () => {
    const header = {
      __metadata__: { format: 'pt' },
      b: entry('BF16', [2], [8, 12]),
      a: entry('F16', [2, 2], [0, 8]),
      c: entry('F32', [1], [12, 16]),
    };
    const file = await open(
      JSON.stringify(header),
      Uint8Array.from({ length: 16 }, (_, i) => i),
    );
    expect(file.tensors.get('a')).toMatchObject({ shape: [2, 2], byteLength: 8, format: { name: 'F16' } });
    expect([...file.tensors.keys()].sort()).toEqual(['a', 'b', 'c']);
    expect([...(await file.read('b'))]).toEqual([8, 9, 10, 11]);
    expect([...(await file.read('c'))]).toEqual([12, 13, 14, 15]);
    await file.close();
  });

  it.each([
    ['a header longer than the file', '{}', 4, 1n << 63n, /header can't be read/],
    ['a header that is not JSON', '{"a":', 4, undefined, /not a JSON object/],
    ['a header that is a list', '[]', 4, undefined, /not a JSON object/],
    ['no tensors', '{}', 0, undefined, /no tensors/],
  ])('refuses %s', async (_, header, bytes, length, message) => {
    await expect(open(header, new Uint8Array(bytes), length)).rejects.toThrow(message);
  });

  it.each([
    ['an unknown format', { a: entry('I64', [1], [0, 8]) }, 8, /stored as I64/],
    ['an inherited name as format', { a: entry('toString', [1], [0, 4]) }, 4, /stored as toString/],
    ['a shape that is no number', { a: entry('F32', [null], [0, 4]) }, 4, /not whole numbers/],
    ['a negative offset', { a: entry('F32', [1], [-4, 0]) }, 4, /not whole numbers/],
    ['a shape that overflows', { a: entry('F32', [2 ** 40, 2 ** 40], [0, 4]) }, 4, /doesn't fill/],
    ['an entry of null', { a: null }, 4, /not whole numbers/],
    ['tensors that overlap', { a: entry('F32', [2], [0, 8]), b: entry('F32', [1], [4, 8]) }, 8, /overlaps/],
    ['a gap', { a: entry('F32', [1], [4, 8]) }, 8, /gap/],
    ['a file cut short', { a: entry('F32', [2], [0, 8]) }, 7, /end at byte/],
    ['bytes after the last tensor', { a: entry('F32', [1], [0, 4]) }, 5, /end at byte/],
  ])('refuses %s', async (_, header, bytes, message) => {
    await expect(open(JSON.stringify(header), new Uint8Array(bytes))).rejects.toThrow(message);
  });
});
