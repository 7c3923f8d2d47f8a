/** Main of the worker thread that tries grammars out: one answer for each shape, in order. */
import { parentPort, workerData } from 'node:worker_threads';
import { GrammarCompiler } from './grammar-compiler.js';
import type { GrammarVocabulary, StructuredOutput } from './index.js';

const vocabulary = workerData as GrammarVocabulary;
let compiler = new GrammarCompiler(vocabulary);

parentPort?.on('message', async (shape: StructuredOutput) => {
  try {
    await compiler.compile(shape);
    parentPort?.postMessage(true);
  } catch {
    compiler = new GrammarCompiler(vocabulary);
    parentPort?.postMessage(false);
  }
});
