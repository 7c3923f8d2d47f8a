import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { packageRoot } from '../../package-info.js';

const FOLDER = join(packageRoot, 'src/model/testing/checkpoints');

/** What transformers computed of one prompt. */
export interface RecordedRun {
  ids: number[];
  positions: number[];
  /** [positions][vocabulary] */
  logits: number[][];
  /** [ids][layers][experts a position]; only of mixtures of experts. */
  experts?: number[][][];
}

/** For tests: names of the checkpoints that scripts/make-checkpoints.py made. */
export async function checkpointNames(): Promise<string[]> {
  return (await readdir(FOLDER)).sort();
}

/** For tests: unpack a checkpoint into `folder`; its GGUF file, where it has one, stays apart. Returns both paths. */
export async function unpackCheckpoint(
  name: string,
  folder: string,
): Promise<{ folder: string; gguf: string | null; runs: RecordedRun[] }> {
  const target = join(folder, name);
  await mkdir(target, { recursive: true });
  let gguf: string | null = null;
  for (const file of await readdir(join(FOLDER, name))) {
    if (file === 'recorded.json') continue;
    const stored = await readFile(join(FOLDER, name, file));
    const isPacked = file.endsWith('.gz');
    const isGguf = file === 'model.gguf.gz';
    const path = isGguf ? join(folder, `${name}.gguf`) : join(target, isPacked ? file.slice(0, -3) : file);
    await writeFile(path, isPacked ? gunzipSync(stored) : stored);
    if (isGguf) gguf = path;
  }
  const recorded = JSON.parse(await readFile(join(FOLDER, name, 'recorded.json'), 'utf8')) as {
    runs: RecordedRun[];
  };
  return { folder: target, gguf, runs: recorded.runs };
}
