import { copyFile, mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeSource } from '../src/model/load-model.js';

/** The key's text is followed by the type of its value and then by the value, both uint32. */
const LENGTH_KEY = 'llama.context_length';
const TYPE_BYTES = 4;
const HEADER_BYTES = 1 << 16;

/** Use a copy of a model's file (default: the default model's) that allows contexts of `length` tokens. */
export async function withLongerModel<T>(
  model: string | undefined,
  length: number,
  use: (path: string) => Promise<T>,
): Promise<T> {
  const { source } = await describeSource(model);
  const folder = await mkdtemp(join(tmpdir(), 'tito-bench-'));
  try {
    const path = join(folder, 'model.gguf');
    await copyFile(source, path);
    await setContextLength(path, length);
    return await use(path);
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function setContextLength(path: string, length: number): Promise<void> {
  const header = (await readFile(path)).subarray(0, HEADER_BYTES);
  const at = header.indexOf(LENGTH_KEY);
  if (at < 0) throw new Error(`${path} has no ${LENGTH_KEY}`);
  const value = Buffer.alloc(4);
  value.writeUInt32LE(length);
  const file = await open(path, 'r+');
  try {
    await file.write(value, 0, value.length, at + LENGTH_KEY.length + TYPE_BYTES);
  } finally {
    await file.close();
  }
}
