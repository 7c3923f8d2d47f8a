import type { Running } from './contender.js';
import { type Figures, figuresOf } from './figures.js';
import { closedLoop, openLoop } from './loops.js';
import { Prompts } from './prompts.js';
import type { StreamTimes } from './stream.js';

/** One way of asking for tokens. */
export interface Scenario {
  name: string;
  promptTokens: number;
  /** What is told of it: output tokens a second, or prompt tokens a second of a single prompt. */
  of: 'output' | 'prompt';
  /** Resolves with null where a contender can't do it. `seed`: other prompts for each. */
  run(running: Running, seed: number): Promise<StreamTimes[] | null>;
}

/** `concurrency` callers of `perCaller` requests each; a library gets one batch of that size. */
export function closed(concurrency: number, perCaller: number, prompt: number, output: number): Scenario {
  return {
    name: `${concurrency} at a time`,
    promptTokens: prompt,
    of: 'output',
    async run({ stream, batch }, seed) {
      const prompts = new Prompts(seed, prompt);
      if (stream)
        return closedLoop(() => stream(prompts.next(), output), concurrency, concurrency * perCaller);
      return batch!(
        Array.from({ length: concurrency }, () => prompts.next()),
        output,
      );
    },
  };
}

/** `requests` requests, `rate` a second. */
export function open(rate: number, requests: number, prompt: number, output: number): Scenario {
  return {
    name: `${rate} a second`,
    promptTokens: prompt,
    of: 'output',
    async run({ stream }, seed) {
      const prompts = new Prompts(seed, prompt);
      return stream && openLoop(() => stream(prompts.next(), output), rate, requests);
    },
  };
}

/** One prompt of some length and one token after it. */
export function prefill(prompt: number): Scenario {
  return {
    name: `prompt of ${prompt}`,
    promptTokens: prompt,
    of: 'prompt',
    async run({ stream, batch }, seed) {
      const ids = new Prompts(seed, prompt).next();
      return stream ? [await stream(ids, 1)] : batch!([ids], 1);
    },
  };
}

/** Run a scenario and say what came out; null where the contender can't do it. */
export async function measure(scenario: Scenario, running: Running, seed: number): Promise<Figures | null> {
  const before = running.usage();
  const streams = await scenario.run(running, seed);
  const after = running.usage();
  if (!streams) return null;
  return figuresOf(streams, before && after ? after.cpuSeconds - before.cpuSeconds : null);
}
