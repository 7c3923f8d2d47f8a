/** Main of the thread that encodes long texts: a job comes in, ids go out, in order. */
import { parentPort, workerData } from 'node:worker_threads';
import type { TokenizerSpec } from '../model/index.js';
import { type EncodedText, type EncodeOptions, encodeText } from './text-encoding.js';
import { createTokenizer } from './tokenizer.js';

export interface EncodeJob {
  number: number;
  text: string;
  options: EncodeOptions;
}

export interface EncodeResult {
  number: number;
  encoded: EncodedText;
}

const tokenizer = createTokenizer(workerData as TokenizerSpec);
parentPort?.on('message', ({ number, text, options }: EncodeJob) => {
  const result: EncodeResult = { number, encoded: encodeText(tokenizer, text, options) };
  parentPort?.postMessage(result);
});
