import { readdir, readFile, stat, truncate } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { makeTinyModel } from '../../scripts/make-tiny-model.js';
import { StartupError } from '../errors.js';
import { describeSource, loadModel } from './load-model.js';
import type { Progress } from './progress.js';
import { FAKE_COMMIT, fakeHub } from './testing/fake-hub.js';
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

  it.each(['/no/such/folder', 'models/none.gguf', 'model.safetensors', ''])(
    'says what %j should be',
    async (source) => {
      const error = await loadModel(source, { cacheDir: await temporaryFolder() }).catch(
        (caught: unknown) => caught,
      );
      expect(error).toBeInstanceOf(StartupError);
      expect((error as Error).message).toMatch(
        /Give the path of a \.gguf file or of a model's folder, a name on the Hugging Face hub.*SmolLM2-135M-Instruct/,
      );
    },
  );

  it('takes a name for one on the hub when nothing lies there', async () => {
    const cacheDir = await temporaryFolder();
    const path = await makeTinyModel(cacheDir);
    const hub = await fakeHub({ 'org/tiny': { files: { 'tiny-Q4_K_M.gguf': await readFile(path) } } });
    vi.stubEnv('HF_ENDPOINT', hub.url);
    onTestFinished(() => void vi.unstubAllEnvs());
    const loaded = await loadModel('org/tiny', { cacheDir });
    expect(loaded.name).toBe('org/tiny');
    expect(loaded.source.startsWith(join(cacheDir, 'hub'))).toBe(true);
    expect(await describeSource('org/tiny:Q4_K_M', { cacheDir, revision: FAKE_COMMIT })).toMatchObject({
      source: loaded.source,
      name: 'org/tiny',
    });
    await expect(loadModel('org/none', { cacheDir })).rejects.toThrow(
      /There is no file or folder org\/none here, so it is taken for a name on the hub\. .* has no model org\/none/,
    );
  });
});
