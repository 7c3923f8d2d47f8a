/**
 * tito beside its peers: the same prompts to each, in turns, so that a noisy machine hits all alike.
 *
 *   node dist/bench/serve/run.js [--dtype int4,int8] [--rounds 3] [--concurrency 1,8,32] [--rate 2]
 *     [--prompt 64] [--output 64] [--prefill 512,2048] [--slots 32] [--out bench/results/serve]
 *     [--vllm FOLDER] [--llama LLAMA_SERVER] [--genai PYTHON] [--transformers FOLDER] [--onnx-model FOLDER]
 *
 * Peers that are given no place don't take part. Writes OUT.json, OUT.md and OUT.svg.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { availableParallelism, cpus } from 'node:os';
import { dirname } from 'node:path';
import { parseArgs } from 'node:util';
import { loadModel } from '../../src/model/load-model.js';
import type { Contender, Running } from './contender.js';
import { type Figures, medianFigures } from './figures.js';
import { peers, tito } from './known-contenders.js';
import { plotOf } from './plot.js';
import { labelOf, markdownOf, type Report, type Result } from './report.js';
import { closed, measure, open, prefill, type Scenario } from './scenarios.js';

const { values } = parseArgs({
  options: {
    dtype: { type: 'string', default: 'int4,int8' },
    rounds: { type: 'string', default: '3' },
    concurrency: { type: 'string', default: '1,8,32' },
    rate: { type: 'string', default: '2' },
    prompt: { type: 'string', default: '64' },
    output: { type: 'string', default: '64' },
    prefill: { type: 'string', default: '512,2048' },
    slots: { type: 'string' },
    out: { type: 'string', default: 'bench/results/serve' },
    vllm: { type: 'string' },
    llama: { type: 'string' },
    genai: { type: 'string' },
    transformers: { type: 'string' },
    'onnx-model': { type: 'string' },
  },
});

const numbers = (list: string): number[] => list.split(',').filter(Boolean).map(Number);
const [promptTokens, outputTokens, rounds] = [values.prompt, values.output, values.rounds].map(Number) as [
  number,
  number,
  number,
];
const concurrencies = numbers(values.concurrency);

/** Few callers get more requests each, so that every run takes long enough to tell. */
const scenarios: Scenario[] = [
  ...concurrencies.map((count) => closed(count, count === 1 ? 4 : 2, promptTokens, outputTokens)),
  ...numbers(values.rate).map((rate) => open(rate, Math.ceil(rate * 8), promptTokens, outputTokens)),
  ...numbers(values.prefill).map(prefill),
];

function say(words: string): void {
  if (process.stderr.isTTY) process.stderr.write(`${words}\n`);
}

type Rounds = Map<Contender, Map<Scenario, Figures[]>>;

async function runRounds(running: Map<Contender, Running>): Promise<Rounds> {
  const all: Rounds = new Map([...running.keys()].map((contender) => [contender, new Map()]));
  const warmUp = scenarios[0]!;
  for (const server of running.values()) await measure(warmUp, server, 1);
  for (let round = 0; round < rounds; round++) {
    for (const [index, scenario] of scenarios.entries()) {
      for (const [contender, server] of running) {
        const figures = await measure(scenario, server, 1000 + round * 100 + index);
        say(
          `round ${round + 1}, ${scenario.name}, ${labelOf(contender)}: ${figures?.tokensPerSecond.toFixed(0)}`,
        );
        const list = all.get(contender)!.get(scenario) ?? [];
        if (figures) all.get(contender)!.set(scenario, [...list, figures]);
      }
    }
  }
  return all;
}

function reportOf(all: Rounds, running: Map<Contender, Running>): Report {
  const results = scenarios.flatMap((scenario) =>
    [...all].map(([{ name, precision }, figures]): Result => {
      const runs = figures.get(scenario);
      const { name: called, of, promptTokens: length } = scenario;
      return {
        contender: { name, precision },
        scenario: { name: called, of, promptTokens: length },
        figures: runs ? medianFigures(runs) : null,
      };
    }),
  );
  const peakMebibytes = [...running].map(([contender, server]) => {
    const usage = server.usage();
    return { name: labelOf(contender), mebibytes: usage && usage.peakBytes / 2 ** 20 };
  });
  return {
    machine: `${cpus()[0]?.model ?? 'unknown'}, ${availableParallelism()} cores`,
    date: new Date().toISOString().slice(0, 10),
    settings: { prompt: promptTokens, output: outputTokens, rounds },
    results,
    peakMebibytes,
  };
}

/** Sequences that a server computes at once; by default as many as there are callers. */
const slots = Number(values.slots ?? Math.max(...concurrencies));
const { source } = await loadModel(undefined);
const contenders = [
  ...values.dtype.split(',').map((dtype) => tito(dtype, slots)),
  ...peers({ ...values, onnxModel: values['onnx-model'], gguf: source }, slots),
];
const running = new Map<Contender, Running>();
try {
  for (const contender of contenders) {
    say(`starting ${labelOf(contender)}`);
    running.set(contender, await contender.start());
  }
  const report = reportOf(await runRounds(running), running);
  await mkdir(dirname(values.out), { recursive: true });
  await writeFile(`${values.out}.json`, `${JSON.stringify(report, null, 2)}\n`);
  await writeFile(`${values.out}.md`, `${markdownOf(report)}\n`);
  await writeFile(`${values.out}.svg`, plotOf(report));
  process.stdout.write(`${markdownOf(report)}\n`);
} finally {
  for (const server of running.values()) await server.stop();
}
