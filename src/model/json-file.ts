import { readFile, stat } from 'node:fs/promises';
import { StartupError } from '../errors.js';

type Json = Readonly<Record<string, unknown>>;

/** Larger than any tokenizer.json that is in use. */
const MOST_BYTES = 256 * 1024 * 1024;

/** The JSON object in a file; null when there is no such file. Throws a StartupError that names the file otherwise. */
export async function jsonFile(path: string): Promise<Json | null> {
  const text = await textFile(path);
  if (text === null) return null;
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Json;
  } catch {
    // Said below.
  }
  throw new StartupError(`${path} is not a JSON object.`);
}

/** The text of a file; null when there is no such file. Throws a StartupError when it can't be read or is huge. */
export async function textFile(path: string): Promise<string | null> {
  try {
    const { size } = await stat(path);
    if (size > MOST_BYTES)
      throw new StartupError(`${path} has ${size} bytes, more than such files ever have.`);
    return await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof StartupError) throw error;
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw new StartupError(`${path} can't be read: ${(error as Error).message}`);
  }
}
