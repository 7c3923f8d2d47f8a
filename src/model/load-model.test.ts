import { readdir, stat, truncate } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeTinyModel } from '../../scripts/make-tiny-model.js';
import { StartupError } from '../errors.js';
import { loadModel } from './load-model.js';
import type { Progress } from './progress.js';
import { temporaryFolder } from './testing/temporary-folder.js';

/** Counts the layers that are built. */
function counter(): { progress: Progress; layers: () => number } {
  let layers = 0;
  const bar = {
    advance(amount: number) {
      layers += amount;
    },
    end() {},
  };
  return { progress: { start: () => bar, note() {} }, layers: () => layers };
}

describe('loadModel', () => {
  it('builds a graph once for each precision', async () => {
    const cacheDir = await temporaryFolder();
    const source = await makeTinyModel(cacheDir, { format: 'Q4_1' });
    const { progress, layers } = counter();
    const first = await loadModel(source, { cacheDir, progress, dtype: 'float32' });
    expect(layers()).toBe(3);
    expect(await loadModel(source, { cacheDir, progress, dtype: 'float32' })).toEqual(first);
    expect(layers()).toBe(3);
    const packed = await loadModel(source, { cacheDir, progress });
    expect(layers()).toBe(6);
    expect(packed.config).toEqual({ ...first.config, dtype: 'int4' });
    expect(packed.graphPath).not.toBe(first.graphPath);
    expect(await loadModel(source, { cacheDir, progress, dtype: 'int4' })).toEqual(packed);
    expect(layers()).toBe(6);
    expect(first.source).toBe(source);
    expect(first.tokenizer).toEqual(packed.tokenizer);
  });

  it('tells files of other content apart, and shares a build between copies', async () => {
    const cacheDir = await temporaryFolder();
    const [one, two] = [
      await makeTinyModel(cacheDir, { seed: 1 }),
      await makeTinyModel(cacheDir, { seed: 2 }),
    ];
    const copy = await makeTinyModel(join(cacheDir, 'copy'), { seed: 1 });
    const graphs = [];
    for (const source of [one, two, copy]) graphs.push((await loadModel(source, { cacheDir })).graphPath);
    expect(graphs[1]).not.toBe(graphs[0]);
    expect(graphs[2]).toBe(graphs[0]);
  });

  it('builds again when the cached weights were cut short', async () => {
    const cacheDir = await temporaryFolder();
    const source = await makeTinyModel(cacheDir);
    const { progress, layers } = counter();
    const { graphPath } = await loadModel(source, { cacheDir, progress });
    const { size } = await stat(`${graphPath}.data`);
    await truncate(`${graphPath}.data`, size - 1);
    await loadModel(source, { cacheDir, progress });
    expect(layers()).toBe(6);
    expect((await stat(`${graphPath}.data`)).size).toBe(size);
  });

  it('leaves nothing in the cache when the file is broken', async () => {
    const cacheDir = await temporaryFolder();
    const source = await makeTinyModel(cacheDir);
    await truncate(source, (await stat(source)).size - 1000);
    await expect(loadModel(source, { cacheDir, dtype: 'float32' })).rejects.toThrow(StartupError);
    await expect(loadModel(source, { cacheDir, dtype: 'float32' })).rejects.toThrow(/cut short/);
    expect(await readdir(join(cacheDir, 'graphs'))).toEqual([]);
  });

  it('lies wholly under the cache folder', async () => {
    const cacheDir = await temporaryFolder();
    const { graphPath } = await loadModel(await makeTinyModel(await temporaryFolder()), { cacheDir });
    expect((await readdir(dirname(graphPath))).sort()).toEqual([
      'manifest.json',
      'model.onnx',
      'model.onnx.data',
    ]);
    expect(graphPath.startsWith(cacheDir)).toBe(true);
  });

  it.each(['some/folder', 'org/name', 'model.safetensors', ''])('says what %j should be', async (source) => {
    const error = await loadModel(source, { cacheDir: await temporaryFolder() }).catch(
      (caught: unknown) => caught,
    );
    expect(error).toBeInstanceOf(StartupError);
    expect((error as Error).message).toMatch(/Give the path of a \.gguf file.*SmolLM2-135M-Instruct/);
  });
});
