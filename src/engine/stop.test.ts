import { describe, expect, it } from 'vitest';
import { DEFAULT_SAMPLING_PARAMS, type SamplingParams } from './index.js';
import { SamplerState } from './sampler-state.js';
import { finishOf } from './stop.js';

const EOS = [2, 7];

function finish(output: number[], given: Partial<SamplingParams> = {}, maxModelLen = 100): unknown {
  const params = { ...DEFAULT_SAMPLING_PARAMS, ...given };
  const state = new SamplerState(params, Int32Array.of(1, 1, 1), 0, EOS);
  for (const id of output) state.commit(id);
  return finishOf(state, 3 + output.length, maxModelLen);
}

const stop = (stopReason: number | null): unknown => ({ reason: 'stop', stopReason });
const length = { reason: 'length', stopReason: null };

describe('finishOf', () => {
  it('goes on', () => {
    expect(finish([5, 6])).toBeNull();
  });

  it('ends at the primary EOS with no stop reason, even where it is a stop id too', () => {
    expect(finish([5, 2])).toEqual(stop(null));
    expect(finish([2], { stopTokenIds: [2] })).toEqual(stop(null));
  });

  it("ends at a stop id, and at the model's further EOS ids, with the id as reason", () => {
    expect(finish([5, 9], { stopTokenIds: [8, 9] })).toEqual(stop(9));
    expect(finish([7])).toEqual(stop(7));
  });

  it('passes over every EOS when told to ignore it, but not over stop ids', () => {
    expect(finish([2], { ignoreEos: true })).toBeNull();
    expect(finish([7], { ignoreEos: true })).toBeNull();
    expect(finish([2], { ignoreEos: true, stopTokenIds: [2] })).toEqual(stop(2));
  });

  it("ends at max_tokens and at the model's length, after any stop", () => {
    expect(finish([5, 5], { maxTokens: 2 })).toEqual(length);
    expect(finish([5, 5], {}, 5)).toEqual(length);
    expect(finish([5, 5], {}, 6)).toBeNull();
    expect(finish([5, 2], { maxTokens: 2 })).toEqual(stop(null));
  });

  it('ends a forced output with its trace, and at no id in it', () => {
    const given = { traceDecodeTokenIds: [2, 9, 7, 5], stopTokenIds: [9], minTokens: 10 };
    for (const count of [1, 2, 3]) expect(finish([2, 9, 7, 5].slice(0, count), given)).toBeNull();
    expect(finish([2, 9, 7, 5], given)).toEqual(length);
    expect(finish([2, 9], { ...given, maxTokens: 2 })).toEqual(length);
  });

  it('ends when the output repeats itself, not before min_tokens, and after everything else', () => {
    const repetitionDetection = { minPatternSize: 1, maxPatternSize: 2, minCount: 2 };
    const repetition = { reason: 'repetition', stopReason: 'repetition_detected' };
    expect(finish([5, 6, 5, 6], { repetitionDetection })).toEqual(repetition);
    expect(finish([5, 6, 5, 6], { repetitionDetection, minTokens: 5 })).toBeNull();
    expect(finish([5, 6, 5, 6], { repetitionDetection, maxTokens: 4 })).toEqual(length);
    expect(finish([5, 6, 5, 6])).toBeNull();
  });
});
