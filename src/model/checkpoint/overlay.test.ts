import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { StartupError } from '../../errors.js';
import { qwen3moe } from '../architectures/qwen3moe.js';
import { buildUpdate, checkUpdate } from '../build-update.js';
import { F32 } from '../gguf/block-formats.js';
import { loadModel } from '../load-model.js';
import { openSource } from '../model-source.js';
import { unpackCheckpoint } from '../testing/checkpoints.js';
import { safetensorsBytes } from '../testing/safetensors-writer.js';
import { temporaryFolder } from '../testing/temporary-folder.js';
import { Overlay } from './overlay.js';

const STACK = 'blk.1.ffn_gate_exps.weight';
const expertName = (expert: number): string => `model.layers.1.mlp.experts.${expert}.gate_proj.weight`;
const SIZE = 32 * 32;

/** A checkpoint with one expert's matrix, of a constant. */
async function oneExpert(folder: string, expert: number): Promise<string> {
  const path = join(folder, `expert-${expert}.safetensors`);
  const entry = { dtype: 'F32', shape: [32, 32], data_offsets: [0, 4 * SIZE] };
  const values = new Float32Array(SIZE).fill(expert + 0.5);
  await writeFile(path, safetensorsBytes({ [expertName(expert)]: entry }, new Uint8Array(values.buffer)));
  return path;
}

describe('checkpoints of a mixture of experts', () => {
  it('make of a GGUF model the graph that their folder makes', async () => {
    const cacheDir = await temporaryFolder();
    const { folder, gguf } = await unpackCheckpoint('qwen3moe', cacheDir);
    const { graphPath } = await loadModel(folder, { cacheDir, dtype: 'float32' });
    const files = [join(folder, 'model.safetensors')];
    const directory = join(cacheDir, 'update');
    const updated = await buildUpdate({ model: gguf!, files, dtype: 'float32', directory });
    expect(await readFile(`${updated}.data`)).toEqual(await readFile(`${graphPath}.data`));
  });

  it.each(['folder', 'gguf'] as const)('may bring one expert for a %s', async (kind) => {
    const cacheDir = await temporaryFolder();
    const unpacked = await unpackCheckpoint('qwen3moe', cacheDir);
    const source = await openSource(unpacked[kind]!);
    const overlay = new Overlay(source, qwen3moe);
    const floats = async (from: Pick<Overlay, 'tensors' | 'read'>): Promise<Float32Array> => {
      const values = new Float32Array(8 * SIZE);
      from.tensors.get(STACK)!.format.dequantize(await from.read(STACK), values);
      return values;
    };
    const expected = await floats(source);
    await overlay.add(await oneExpert(cacheDir, 5));
    expected.fill(5.5, 5 * SIZE, 6 * SIZE);
    expect(await floats(overlay)).toEqual(expected);
    expect(overlay.tensors.get(STACK)!.format).toBe(F32);
    await overlay.close();
    await source.close();
  });

  it('may not bring one that the model does not have', async () => {
    const cacheDir = await temporaryFolder();
    const { gguf } = await unpackCheckpoint('qwen3moe', cacheDir);
    const update = checkUpdate({ model: gguf!, files: [await oneExpert(cacheDir, 8)] });
    await expect(update).rejects.toThrow(StartupError);
    await expect(update).rejects.toThrow(/experts\.8\.gate_proj\.weight, which this model does not have/);
  });
});
