import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { StartupError } from '../errors.js';
import { remembered } from './remembered.js';

/** Of a model's folder: configuration, weights, tokenizer and template. */
const MODEL_FILES = /\.(json|safetensors|model|jinja|txt|gguf|onnx|onnx_data|data)$/i;

/** A file of a model's source. */
export interface SourceFile {
  name: string;
  path: string;
  /** Bytes. */
  size: number;
}

/** The files that a source consists of: itself, or those of its folder that say what the model is. Throws a StartupError. */
export async function sourceFiles(path: string): Promise<SourceFile[]> {
  try {
    const found = await stat(path);
    if (!found.isDirectory()) return [{ name: '', path, size: found.size }];
    const files: SourceFile[] = [];
    const exported = (await readdir(join(path, 'onnx')).catch(() => [])).map((name) => join('onnx', name));
    for (const name of [...(await readdir(path)), ...exported].sort()) {
      if (!MODEL_FILES.test(name)) continue;
      const file = await stat(join(path, name));
      if (file.isFile()) files.push({ name, path: join(path, name), size: file.size });
    }
    return files;
  } catch (error) {
    throw new StartupError(`${path} can't be read: ${(error as Error).message}`);
  }
}

/**
 * SHA-256 of a file, or of the names and hashes of a folder's files; reading 100 MB takes a third of a second, so each
 * file's is remembered. Throws a StartupError.
 */
export async function sourceHash(path: string, cacheDir: string): Promise<string> {
  const files = await sourceFiles(path);
  const hashOf = (file: string): Promise<string> => remembered(file, { cacheDir, kind: 'hashes' }, sha256Of);
  if (files.length === 1 && files[0]!.name === '') return hashOf(path);
  const all = createHash('sha256');
  for (const file of files) all.update(`${file.name}\n${await hashOf(file.path)}\n`);
  return all.digest('hex');
}

/** Hash of a file's content in hexadecimal. */
export async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 })) hash.update(chunk as Buffer);
  return hash.digest('hex');
}
