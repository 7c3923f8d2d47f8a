import { describe, expect, it } from 'vitest';
import { DEFAULT_SAMPLING_PARAMS, type PositionLogprobs, type SamplingParams } from './index.js';
import { type LogprobsMode, Sampler } from './sampler.js';
import { MASKED, PLAIN, start } from './testing/sampling.js';
import { scoreRow, softmax } from './testing/score-row.js';

const NONE = Number.NEGATIVE_INFINITY;
const LOGITS = [0, 2, 1, -1];
const row = scoreRow(LOGITS);

const inMode = (logprobsMode: LogprobsMode): { logprobsMode: LogprobsMode; samplingMask: false } => ({
  logprobsMode,
  samplingMask: false,
});

function expectLogprobs(
  found: PositionLogprobs | null,
  ids: number[],
  values: number[],
  ranks: number[],
): void {
  expect([...found!.ids]).toEqual(ids);
  expect([...found!.ranks]).toEqual(ranks);
  for (const [i, value] of values.entries()) {
    if (Number.isFinite(value)) expect(found!.values[i]).toBeCloseTo(value, 5);
    else expect(found!.values[i]).toBe(value);
  }
}

function sequence(given: Partial<SamplingParams>, index: number, count: number): number[] {
  const flat = scoreRow(new Array<number>(500).fill(0));
  const sampler = new Sampler(500, PLAIN);
  const state = sampler.createState({ ...DEFAULT_SAMPLING_PARAMS, ...given }, Int32Array.of(1), index, []);
  for (let i = 0; i < count; i++) state.commit(sampler.sample(flat, state).id);
  return state.output;
}

describe('seeds', () => {
  it('repeat, whatever else is sampled in between', () => {
    const one = start(500, { seed: 3n });
    const flat = scoreRow(new Array<number>(500).fill(0));
    const other = one.sampler.createState(DEFAULT_SAMPLING_PARAMS, Int32Array.of(1), 0, []);
    for (let i = 0; i < 20; i++) {
      one.state.commit(one.sampler.sample(flat, one.state).id);
      other.commit(one.sampler.sample(flat, other).id);
    }
    expect(one.state.output).toEqual(sequence({ seed: 3n }, 0, 20));
  });

  it('differ by seed, also beyond 2^53, and by index', () => {
    const seeds = [0n, 1n, 2n ** 53n, 2n ** 53n + 1n, -(2n ** 63n), -2n, 2n ** 64n - 2n];
    const all = seeds.flatMap((seed) => [0, 1].map((index) => sequence({ seed }, index, 8).join()));
    expect(new Set(all).size).toBe(all.length);
  });

  it('are random when not given', () => {
    expect(sequence({ seed: null }, 0, 8)).not.toEqual(sequence({ seed: null }, 0, 8));
  });

  it('can be taken up at any position', () => {
    const whole = sequence({ seed: 5n }, 0, 10);
    const { sampler, state } = start(500, { seed: 5n });
    for (const id of whole.slice(0, 9)) state.commit(id);
    expect(sampler.sample(scoreRow(new Array<number>(500).fill(0)), state).id).toBe(whole[9]);
  });
});

describe('logprobs modes', () => {
  const given = { temperature: 0.5, topK: 2, logitBias: [[3, 10]] as const, logprobs: 1, seed: 1n };
  const processed = softmax([NONE, 4, NONE, 18], 1).map(Math.log);

  it('raw: of the model, before processors, filters and temperature', () => {
    const raw = softmax(LOGITS, 1).map(Math.log);
    const logprobs = start(4, given, inMode('raw_logprobs'));
    expectLogprobs(logprobs.sampler.sample(row, logprobs.state).logprobs, [3, 1], [raw[3]!, raw[1]!], [4, 1]);
    const logits = start(4, given, inMode('raw_logits'));
    expectLogprobs(logits.sampler.sample(row, logits.state).logprobs, [3, 1], [-1, 2], [4, 1]);
  });

  it('processed: of the distribution that was sampled from', () => {
    const wide = { ...given, logprobs: -1 };
    const logits = start(4, wide, inMode('processed_logits'));
    expectLogprobs(
      logits.sampler.sample(row, logits.state).logprobs,
      [3, 1, 0, 2],
      [18, 4, NONE, NONE],
      [1, 2, 3, 3],
    );
    const logprobs = start(4, wide, inMode('processed_logprobs'));
    const values = [processed[3]!, processed[1]!, NONE, NONE];
    expectLogprobs(logprobs.sampler.sample(row, logprobs.state).logprobs, [3, 1, 0, 2], values, [1, 2, 3, 3]);
  });

  it('processed: temperature and filters leave a greedy row alone', () => {
    const { sampler, state } = start(
      4,
      { ...given, temperature: 0, logprobs: 2 },
      inMode('processed_logprobs'),
    );
    const values = softmax([0, 2, 1, 9], 1).map(Math.log);
    expectLogprobs(sampler.sample(row, state).logprobs, [3, 1], [values[3]!, values[1]!], [1, 2]);
  });

  it('raw: of what a grammar leaves, where there is one', () => {
    const grammar = Int32Array.of(0b1101);
    const left = softmax([0, NONE, 1, -1], 1).map(Math.log);
    const { sampler, state } = start(4, { temperature: 0, logprobs: 4 });
    const values = [left[2]!, left[0]!, left[3]!, NONE];
    expectLogprobs(sampler.sample(row, state, grammar).logprobs, [2, 0, 3, 1], values, [1, 2, 3, 4]);
  });

  it('leaves the row as it was', () => {
    const { sampler, state } = start(4, given, inMode('processed_logits'));
    const before = structuredClone(row);
    sampler.sample(row, state);
    expect(row).toEqual(before);
  });

  it('gives none unless asked', () => {
    for (const params of [{}, { logprobTokenIds: [1] }]) {
      const { sampler, state } = start(4, params);
      expect(sampler.sample(row, state).logprobs).toBeNull();
    }
  });

  it('scores listed ids beside the sampled one', () => {
    const { sampler, state } = start(4, { temperature: 0, logprobs: 2, logprobTokenIds: [3, 0] });
    const raw = softmax(LOGITS, 1).map(Math.log);
    expectLogprobs(sampler.sample(row, state).logprobs, [1, 3, 0], [raw[1]!, raw[3]!, raw[0]!], [1, 1, 2]);
  });
});

describe('prompt scores', () => {
  it('describe the token that follows and the best', () => {
    const raw = softmax(LOGITS, 1).map(Math.log);
    const { sampler } = start(4, {});
    expectLogprobs(sampler.scorePosition(row, 3, 1), [3, 1], [raw[3]!, raw[1]!], [4, 1]);
    expectLogprobs(sampler.scorePosition(row, 1, 0), [1], [raw[1]!], [1]);
    expect([...sampler.scorePosition(row, 2, -1).ids]).toEqual([2, 1, 0, 3]);
  });

  it('score listed ids, padding -Infinity, in the units of the mode', () => {
    const raw = softmax(LOGITS, 1).map(Math.log);
    const [first, padding] = start(4, {}).sampler.scoreIds(row, [2, -1]);
    expect(first).toBeCloseTo(raw[2]!, 5);
    expect(padding).toBe(NONE);
    expect([...start(4, {}, inMode('processed_logits')).sampler.scoreIds(row, [2, -1])]).toEqual([1, NONE]);
  });
});

describe('a forced trace', () => {
  const given = { traceDecodeTokenIds: [3, 0], logprobs: 0, temperature: 0 };

  it('gives the listed ids with their real logprobs, then samples', () => {
    const { sampler, state } = start(4, given);
    const raw = softmax(LOGITS, 1).map(Math.log);
    for (const [id, rank] of [
      [3, 4],
      [0, 3],
      [1, 1],
    ] as const) {
      const sampled = sampler.sample(row, state);
      expect(sampled.id).toBe(id);
      expectLogprobs(sampled.logprobs, [id], [raw[id]!], [rank]);
      state.commit(sampled.id);
    }
  });

  it('leaves the mask what sampling would have left', () => {
    const { sampler, state } = start(4, { ...given, temperature: 1, topK: 2 }, MASKED);
    const { id, mask } = sampler.sample(row, state);
    expect([id, ...mask!]).toEqual([3, 1, 2]);
  });
});

describe('logits that can not be sampled', () => {
  const cases: Array<[string, number[], number]> = [
    ['a NaN is passed over', [0, Number.NaN, 5, NONE], 2],
    ['infinity wins', [0, Number.POSITIVE_INFINITY, 5, 1], 1],
    ['nothing left gives id 0', [NONE, NONE, NONE, NONE], 0],
    ['nothing but NaN gives id 0', [Number.NaN, Number.NaN, Number.NaN, Number.NaN], 0],
  ];
  for (const [name, logits, expected] of cases) {
    it(name, () => {
      for (const given of [
        { temperature: 0 },
        { temperature: 0.1 },
        { temperature: 0.1, topP: 0.5, topK: 2 },
      ]) {
        for (const options of [PLAIN, MASKED, inMode('processed_logprobs')]) {
          const { sampler, state } = start(4, { ...given, logprobs: 2, minP: 0.01 }, options);
          // The graph's ranking means nothing here.
          const topIds = Int32Array.of(3, 1, 0, 2);
          const scores = { ...scoreRow(logits, state.temperature), topIds };
          expect(sampler.sample(scores, state).id).toBe(expected);
        }
      }
    });
  }

  it('reports rank 0 for NaN', () => {
    const { sampler, state } = start(3, { temperature: 0, logprobs: 1, traceDecodeTokenIds: [1] }, PLAIN);
    const { logprobs } = sampler.sample(scoreRow([0, Number.NaN, 5]), state);
    expect(logprobs!.ranks[0]).toBe(0);
    expect(logprobs!.values[0]).toBeNaN();
  });
});
