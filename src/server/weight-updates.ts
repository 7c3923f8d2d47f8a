import { constants, createWriteStream } from 'node:fs';
import { copyFile, mkdir, realpath, rm } from 'node:fs/promises';
import { isAbsolute, join, relative, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Engine } from '../engine/index.js';
import { ApiError, bodyTooLarge, StartupError, valueFault } from '../errors.js';
import { buildInBackground } from '../model/build-in-background.js';
import { checkUpdate } from '../model/build-update.js';
import { checkpointFiles } from '../model/checkpoint/checkpoint.js';
import type { ModelDtype } from '../model/index.js';

export interface WeightUpdateOptions {
  engine: Engine;
  /** The GGUF file that the server was started with. */
  model: string;
  dtype: ModelDtype;
  /** Checkpoints are taken from here alone; null = none. */
  weightsDir: string | null;
  /** Where copies and graphs are kept while they are in use; made and removed here. */
  folder: string;
  /** Largest upload in bytes: the model's tensors in float32, and some more for the header. */
  largestUpload: number;
}

/**
 * Live weight updates: start, one or more checkpoints, finish. Nothing changes before finish; then a graph is built
 * beside the one in use and swapped in between two steps. A later update may be partial: it goes over what is in use.
 */
export class WeightUpdates {
  /** Copies of the checkpoints whose tensors are in use, oldest first. */
  #inUse: string[] = [];
  /** Those of the open update; null = none is open. */
  #added: string[] | null = null;
  #count = 0;
  #graphs: string[] = [];
  #turn: Promise<unknown> = Promise.resolve();

  constructor(private readonly options: WeightUpdateOptions) {}

  /** Open an update; one that was left open is dropped. */
  start(): Promise<void> {
    return this.#inTurn(async () => {
      await removeAll(this.#added ?? []);
      this.#added = [];
    });
  }

  /** Take a checkpoint of the folder of checkpoints. Throws a 400 for one that does not fit. */
  addPath(path: string): Promise<void> {
    return this.#inTurn(async () => {
      this.#requireOpen();
      const files = await fitting(path, () => this.#filesOf(path));
      await fitting(path, () => this.#check(files));
      for (const file of files) this.#added!.push(await this.#copy(file));
    });
  }

  /** Take a safetensors file as it comes. Throws a 400 for one that does not fit, a 413 for one that is too large. */
  addUpload(body: Readable): Promise<void> {
    return this.#inTurn(async () => {
      this.#requireOpen();
      const file = await this.#place('.safetensors');
      try {
        await receive(body, file, this.options.largestUpload);
        await fitting(file, () => this.#check([file]), 'The upload');
        this.#added!.push(file);
      } catch (error) {
        await rm(file, { force: true });
        throw error;
      }
    });
  }

  /** Go over to the new weights. Throws a 400 when there are none; the old ones then go on. */
  finish(version: string | null): Promise<void> {
    return this.#inTurn(async () => {
      this.#requireOpen();
      const { engine, model, dtype } = this.options;
      if (this.#added!.length === 0) {
        throw valueFault(null, 'No weights were brought: POST /update_weights before /finish_weight_update.');
      }
      const files = [...this.#inUse, ...this.#added!];
      const directory = await this.#place('');
      try {
        const graphPath = await buildInBackground({ model, files, dtype, directory });
        await engine.loadWeights(graphPath);
      } catch (error) {
        await rm(directory, { recursive: true, force: true });
        throw error;
      }
      await engine.swapWeights(version ?? engine.weightVersion());
      this.#added = null;
      this.#inUse = files;
      await removeAll(this.#graphs);
      this.#graphs = [directory];
    });
  }

  /** Remove copies and graphs. */
  async close(): Promise<void> {
    await rm(this.options.folder, { recursive: true, force: true });
  }

  /** One call after another. */
  #inTurn(work: () => Promise<void>): Promise<void> {
    const done = this.#turn.then(work);
    this.#turn = done.catch(() => {});
    return done;
  }

  #requireOpen(): void {
    if (!this.#added) {
      throw valueFault(null, 'No weight update is open: POST /start_weight_update first.');
    }
  }

  async #filesOf(path: string): Promise<string[]> {
    const { weightsDir } = this.options;
    if (weightsDir === null) {
      throw valueFault('path', 'Checkpoints by path need a server that was started with --weights-dir.');
    }
    const folder = await realpath(resolve(weightsDir));
    const asked = resolve(folder, path);
    const found = await realpath(asked).catch(() => asked);
    const inside = relative(folder, found);
    if (inside.startsWith('..') || isAbsolute(inside)) {
      throw valueFault('path', `The checkpoint ${path} is not inside --weights-dir.`);
    }
    return checkpointFiles(found);
  }

  #check(files: readonly string[]): Promise<void> {
    return checkUpdate({ model: this.options.model, files });
  }

  /** What the trainer does with its file afterwards must not matter. */
  async #copy(file: string): Promise<string> {
    const copy = await this.#place(file.slice(file.lastIndexOf('.')));
    await copyFile(file, copy, constants.COPYFILE_FICLONE);
    return copy;
  }

  async #place(ending: string): Promise<string> {
    await mkdir(this.options.folder, { recursive: true });
    return join(this.options.folder, `${this.#count++}${ending}`);
  }
}

/** What is wrong with a checkpoint is the caller's to know. */
async function fitting<T>(path: string, work: () => Promise<T>, shown = path): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ApiError) throw error;
    if (error instanceof StartupError || error instanceof SyntaxError) {
      throw valueFault(null, error.message.replaceAll(path, shown));
    }
    throw error;
  }
}

async function receive(body: Readable, file: string, largest: number): Promise<void> {
  let size = 0;
  await pipeline(
    body,
    async function* (bytes: AsyncIterable<Buffer>) {
      for await (const part of bytes) {
        size += part.length;
        if (size > largest)
          throw bodyTooLarge(`${largest} bytes, the size of this model's weights in float32`);
        yield part;
      }
    },
    createWriteStream(file),
  );
}

async function removeAll(paths: readonly string[]): Promise<void> {
  for (const path of paths) await rm(path, { recursive: true, force: true });
}
