import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tinyMetadata, tinyTensors } from '../../../scripts/make-tiny-model.js';
import { StartupError } from '../../errors.js';
import { temporaryFolder } from '../testing/temporary-folder.js';
import { F32 } from './block-formats.js';
import { GgufFile } from './gguf-file.js';
import { ggufBytes } from './gguf-writer.js';
import { Q4_1 } from './small-blocks.js';

async function fileOf(bytes: Uint8Array): Promise<string> {
  const path = join(await temporaryFolder(), 'model.gguf');
  await writeFile(path, bytes);
  return path;
}

/** The error of opening a file; the file is closed when there is none. */
async function openingError(path: string): Promise<unknown> {
  try {
    await (await GgufFile.open(path)).close();
    return null;
  } catch (error) {
    return error;
  }
}

const tinyBytes = (): Uint8Array => ggufBytes(tinyMetadata(), tinyTensors(1, F32, false));

describe('GgufFile', () => {
  it('gives back what was written', async () => {
    const tensors = tinyTensors(3, Q4_1, true);
    const file = await GgufFile.open(await fileOf(ggufBytes(tinyMetadata(), tensors)));
    try {
      expect(file.metadata.string('general.architecture')).toBe('llama');
      expect(file.metadata.count('llama.block_count')).toBe(2);
      expect(file.metadata.number('llama.rope.freq_base')).toBe(10_000);
      expect(file.metadata.optionalBoolean('tokenizer.ggml.add_bos_token')).toBe(false);
      expect(file.metadata.strings('tokenizer.ggml.tokens')).toHaveLength(320);
      expect([...file.tensors.keys()]).toEqual(tensors.map(({ name }) => name));
      for (const { name, shape, format = F32, values } of tensors) {
        const info = file.tensors.get(name)!;
        expect([info.shape, info.format]).toEqual([shape, format]);
        const weights = new Float32Array(values.length);
        info.format.dequantize(await file.read(name), weights);
        const error = weights.reduce((most, weight, i) => Math.max(most, Math.abs(weight - values[i]!)), 0);
        expect(error, name).toBeLessThan(format === F32 ? 1e-12 : 0.25);
      }
    } finally {
      await file.close();
    }
  });

  it('refuses a file cut short anywhere, with the reason', async () => {
    const whole = tinyBytes();
    const cuts = [0, 1, 3, 4, 8, 20, 24, 60, 500, 4000, 6000, 9000, whole.length >> 1, whole.length - 33];
    for (const length of cuts) {
      const error = await openingError(await fileOf(whole.subarray(0, length)));
      expect(error, `cut at ${length}`).toBeInstanceOf(StartupError);
      expect((error as Error).message).toMatch(/not a GGUF file|cut short|has shape/);
    }
  });

  it('refuses other files', async () => {
    const error = await openingError(
      await fileOf(Buffer.from('PK\u0003\u0004 a zip archive, say'.padEnd(4096, '.'))),
    );
    expect(error).toBeInstanceOf(StartupError);
    expect((error as Error).message).toMatch(/model\.gguf is not a GGUF file/);
  });

  it.each([
    ['no such file', () => Promise.resolve('/nowhere/at/all.gguf'), /can't be read: ENOENT/],
    ['a folder', temporaryFolder, /can't be read|not a GGUF file/],
  ])('refuses %s', async (_, path, message) => {
    const error = await openingError(await path());
    expect(error).toBeInstanceOf(StartupError);
    expect((error as Error).message).toMatch(message);
  });

  it('names a tensor format that it can not read, and those that it can', async () => {
    const bytes = ggufBytes({}, [
      { name: 'odd', shape: [32], format: { ...F32, type: 16 }, values: new Float32Array(32) },
    ]);
    await expect(GgufFile.open(await fileOf(bytes))).rejects.toThrow(
      /tensor odd is stored as IQ2_XXS\. Supported: F32, F16, BF16, Q4_0, Q4_1, Q5_0, Q5_1, Q8_0, IQ4_NL, Q2_K, Q3_K, Q4_K, Q5_K, Q6_K, IQ4_XS\./,
    );
  });

  it('refuses a row that is not whole blocks', async () => {
    const bytes = ggufBytes({}, [
      { name: 'odd', shape: [40, 4], format: { ...F32, type: 3 }, values: new Float32Array(160) },
    ]);
    await expect(GgufFile.open(await fileOf(bytes))).rejects.toThrow(
      /tensor odd has shape \[40, 4\], which Q4_1/,
    );
  });

  it('never hangs or crashes on damaged bytes', async () => {
    const whole = tinyBytes();
    for (let round = 0; round < 60; round++) {
      const damaged = whole.slice();
      for (let k = 0; k < 4; k++) damaged[(round * 7919 + k * 104_729) % 9000] = (round * 31 + k * 97) & 255;
      const error = await openingError(await fileOf(damaged));
      if (error !== null) expect(error, `round ${round}`).toBeInstanceOf(StartupError);
    }
  });
});
