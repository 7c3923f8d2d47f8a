import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { StartupError } from '../errors.js';
import type { UpdateJob } from './build-update.js';
import type { UpdateResult } from './update-thread.js';

/** Build the graph of new weights on a thread of its own; resolves with its path. Rejects with a StartupError. */
export async function buildInBackground(job: UpdateJob): Promise<string> {
  const thread = new Worker(threadPath(), { workerData: job });
  try {
    const [result] = (await once(thread, 'message')) as [UpdateResult];
    if ('error' in result) throw new StartupError(result.error);
    return result.graphPath;
  } finally {
    await thread.terminate();
  }
}

/** The compiled main of the thread: beside this file, or under dist/ when this runs from source. */
function threadPath(): string {
  const beside = fileURLToPath(new URL('./update-thread.js', import.meta.url));
  return existsSync(beside)
    ? beside
    : fileURLToPath(new URL('../../dist/src/model/update-thread.js', import.meta.url));
}
