import { describe, expect, it } from 'vitest';
import { DEFAULT_SAMPLING_PARAMS, type SamplingParams } from '../index.js';
import { SamplerState } from '../sampler-state.js';
import { changesLogits, processLogits } from './process.js';

const NONE = Number.NEGATIVE_INFINITY;
const PROMPT = [0, 0, 1];
const EOS = [4, 5];

interface Given extends Partial<SamplingParams> {
  output?: number[];
  grammar?: Int32Array;
}

/** Process these logits after some output; prompt 0 0 1, EOS 4 and 5. */
function process(values: number[], { output = [], grammar, ...params }: Given): number[] {
  const state = new SamplerState({ ...DEFAULT_SAMPLING_PARAMS, ...params }, Int32Array.from(PROMPT), 0, EOS);
  for (const id of output) state.commit(id);
  const logits = Float32Array.from(values);
  processLogits(logits, state, grammar ?? null);
  if (logits.some((logit, id) => logit !== Math.fround(values[id]!))) {
    expect(changesLogits(state, grammar ?? null)).toBe(true);
  }
  return [...logits];
}

const FLAT = [1, 1, 1, 1, 1, 1];

describe('grammar', () => {
  it('rules out what the bitmask does not allow, past its end too', () => {
    const values = Array.from({ length: 100 }, (_, id) => id);
    const allowed = [0, 5, 31, 63, 40];
    const grammar = new Int32Array(3);
    for (const id of allowed) grammar[id >>> 5]! |= 1 << (id & 31);
    const left = process(values, { grammar }).flatMap((logit, id) => (logit === NONE ? [] : [id]));
    expect(left).toEqual([0, 5, 31, 40, 63]);
    grammar.fill(-1);
    expect(process(values, { grammar })).toEqual(values.map((value) => (value < 96 ? value : NONE)));
  });
});

describe('allowed ids', () => {
  it('are all that is left', () => {
    expect(process([1, 2, 3, 4, 5, 6], { allowedTokenIds: [3, 1, 3] })).toEqual([
      NONE,
      2,
      NONE,
      4,
      NONE,
      NONE,
    ]);
  });
});

describe('bad words', () => {
  const badWords = [[3], [1, 2], [1, 1, 0]];

  it('rule out their last id after the ids before it, as far as those were output', () => {
    expect(process(FLAT, { badWords })).toEqual([1, 1, 1, NONE, 1, 1]);
    expect(process(FLAT, { badWords, output: [1] })).toEqual([1, 1, NONE, NONE, 1, 1]);
    expect(process(FLAT, { badWords, output: [5, 1, 1] })).toEqual([NONE, 1, NONE, NONE, 1, 1]);
    expect(process(FLAT, { badWords, output: [1, 2] })).toEqual([1, 1, 1, NONE, 1, 1]);
  });
});

describe('min tokens', () => {
  it('hold back every EOS and stop id, ignored or not, until there are enough', () => {
    for (const ignoreEos of [false, true]) {
      const given = { minTokens: 2, stopTokenIds: [3], ignoreEos };
      expect(process(FLAT, { ...given, output: [0] })).toEqual([1, 1, 1, NONE, NONE, NONE]);
      expect(process(FLAT, { ...given, output: [0, 0] })).toEqual(FLAT);
    }
  });

  it('give way when nothing else is left', () => {
    const grammar = Int32Array.of((1 << 4) | (1 << 3));
    const held = process(FLAT, { minTokens: 2, grammar, stopTokenIds: [3] });
    expect(held).toEqual([NONE, NONE, NONE, 1, 1, NONE]);
    expect(process(FLAT, { minTokens: 2, allowedTokenIds: [5] })).toEqual([NONE, NONE, NONE, NONE, NONE, 1]);
  });
});

describe('logit bias', () => {
  it('is added, also to what is ruled out', () => {
    const logitBias = [
      [0, 100],
      [2, -1.5],
    ] as const;
    expect(process(FLAT, { logitBias, badWords: [[0]] })).toEqual([NONE, 1, -0.5, 1, 1, 1]);
  });
});

describe('penalties', () => {
  it('of repetition scale what prompt or output holds, once each, away from being chosen', () => {
    const values = [3, -3, 3, -3, 3, 0];
    expect(process(values, { repetitionPenalty: 2, output: [2, 3, 2, 0] })).toEqual([1.5, -6, 1.5, -6, 3, 0]);
    expect(process(values, { repetitionPenalty: 0.5 })).toEqual([6, -1.5, 3, -3, 3, 0]);
  });

  it('of frequency and presence count the output alone', () => {
    const given = { frequencyPenalty: 0.5, presencePenalty: 1, output: [0, 2, 2] };
    expect(process(FLAT, given)).toEqual([-0.5, 1, -1, 1, 1, 1]);
    expect(process(FLAT, { presencePenalty: -2, output: [3, 3] })).toEqual([1, 1, 1, 3, 1, 1]);
  });

  it('follow each further token', () => {
    const params = { ...DEFAULT_SAMPLING_PARAMS, frequencyPenalty: 1 };
    const state = new SamplerState(params, Int32Array.from(PROMPT), 0, EOS);
    const seen = [3, 3].map((id) => {
      const logits = Float32Array.from(FLAT);
      processLogits(logits, state, null);
      state.commit(id);
      return logits[3];
    });
    const logits = Float32Array.from(FLAT);
    processLogits(logits, state, null);
    expect([...seen, logits[3]]).toEqual([1, 0, -1]);
  });
});

it('goes from bias to repetition to frequency and presence', () => {
  const given: Given = {
    logitBias: [[0, 3]],
    repetitionPenalty: 2,
    frequencyPenalty: 0.5,
    presencePenalty: 1,
    output: [0],
  };
  expect(process(FLAT, given)[0]).toBe((1 + 3) / 2 - 0.5 - 1);
});
