/** Main of the thread that builds the graph of new weights, so that the server goes on answering meanwhile. */
import { parentPort, workerData } from 'node:worker_threads';
import { buildUpdate, type UpdateJob } from './build-update.js';

export type UpdateResult = { graphPath: string } | { error: string };

const result = await buildUpdate(workerData as UpdateJob).then(
  (graphPath): UpdateResult => ({ graphPath }),
  (error: Error): UpdateResult => ({ error: error.message }),
);
parentPort?.postMessage(result);
