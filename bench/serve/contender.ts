import type { Usage } from './process-usage.js';
import type { StreamTimes } from './stream.js';

/** Something that generates tokens, not started yet. */
export interface Contender {
  name: string;
  precision: string;
  start(): Promise<Running>;
}

export interface Running {
  /** Stream `outputTokens` tokens after a prompt; null for a library that only takes whole batches. */
  stream: ((prompt: readonly number[], outputTokens: number) => Promise<StreamTimes>) | null;
  /** Several prompts of one length at once; null for a server, to which they are requests. */
  batch: ((prompts: ReadonlyArray<readonly number[]>, outputTokens: number) => Promise<StreamTimes[]>) | null;
  usage(): Usage | null;
  stop(): Promise<void>;
}
