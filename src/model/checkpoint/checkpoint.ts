import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { StartupError } from '../../errors.js';
import { GgufFile } from '../gguf/gguf-file.js';
import type { TensorSource } from '../weights.js';
import { SafetensorsFile } from './safetensors-file.js';
import { SHARD_INDEX, shardsOf } from './shard-index.js';

/** An open source of tensors. */
export interface OpenTensors extends TensorSource {
  close(): Promise<void>;
}

/** A checkpoint's files: one GGUF or safetensors file, or a folder with either, in parts or whole. */
export async function checkpointFiles(path: string): Promise<string[]> {
  const found = await stat(path).catch(() => {
    throw new StartupError(`There is no checkpoint ${path}.`);
  });
  if (!found.isDirectory()) return [path];
  const names = await readdir(path);
  if (names.includes(SHARD_INDEX)) return shards(path, names);
  const files = names.filter((name) => /\.(safetensors|gguf)$/i.test(name)).sort();
  if (files.length === 0) throw new StartupError(`${path} holds no .safetensors or .gguf file.`);
  return files.map((name) => join(path, name));
}

/** Open one file, by its ending. Throws a StartupError that says what is wrong with it. */
export async function openTensors(path: string): Promise<OpenTensors> {
  if (/\.gguf$/i.test(path)) return GgufFile.open(path);
  return SafetensorsFile.open(path);
}

/** The safetensors files of a model's folder. Throws a StartupError when there are none, or the index names others. */
export async function safetensorsFiles(folder: string): Promise<string[]> {
  const names = await readdir(folder);
  if (names.includes(SHARD_INDEX)) return shards(folder, names);
  const whole = names.includes('model.safetensors') ? ['model.safetensors'] : names.sort();
  const files = whole.filter((name) => name.endsWith('.safetensors'));
  if (files.length === 0) throw new StartupError(`${folder} holds no .safetensors file.`);
  return files.map((name) => join(folder, name));
}

/** Files that the index names must be in the folder itself: names can't lead out of it. */
async function shards(folder: string, names: readonly string[]): Promise<string[]> {
  const index = await readFile(join(folder, SHARD_INDEX), 'utf8').catch((error: Error) => {
    throw new StartupError(`${SHARD_INDEX} of ${folder} can't be read: ${error.message}`);
  });
  return shardsOf(index, names, folder).map((name) => join(folder, name));
}
