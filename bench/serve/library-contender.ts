import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Contender, Running } from './contender.js';
import { usageOfTree } from './process-usage.js';
import type { StreamTimes } from './stream.js';

export interface LibraryCommand {
  name: string;
  precision: string;
  command: string;
  args: readonly string[];
}

/** Milliseconds from the call to each token of a batch; all rows get their tokens together. */
interface BatchAnswer {
  tokenTimes: number[];
}

/**
 * A library with static batches, behind a program that reads `{"prompts": [[…]], "outputTokens": n}` a line and answers
 * `{"tokenTimes": [ms, …]}`. It has no HTTP to pay for.
 */
export function libraryContender(library: LibraryCommand): Contender {
  return { name: library.name, precision: library.precision, start: () => start(library) };
}

async function start({ command, args }: LibraryCommand): Promise<Running> {
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'ignore'] });
  const exited = once(child, 'exit');
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const answer = async (): Promise<string> => {
    const { value, done } = await lines.next();
    if (done) throw new Error(`${command} ${args.join(' ')} ended`);
    return value;
  };
  await answer();
  return {
    stream: null,
    async batch(prompts, outputTokens): Promise<StreamTimes[]> {
      const sentAt = performance.now();
      child.stdin.write(`${JSON.stringify({ prompts, outputTokens })}\n`);
      const { tokenTimes } = JSON.parse(await answer()) as BatchAnswer;
      const arrivals = tokenTimes.map((ms) => ({ at: sentAt + ms, tokens: 1 }));
      return prompts.map((prompt) => ({ sentAt, promptTokens: prompt.length, arrivals, outputTokens }));
    },
    usage: () => usageOfTree(child.pid!),
    async stop() {
      child.stdin.end();
      await exited;
    },
  };
}
