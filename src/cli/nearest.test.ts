import { describe, expect, it } from 'vitest';
import { nearest } from './nearest.js';

describe('nearest', () => {
  it.each([
    ['prot', ['host', 'port', 'dtype'], 'port'],
    ['max-num-seq', ['max-num-seqs', 'max-model-len'], 'max-num-seqs'],
    ['served-modelname', ['served-model-name', 'model'], 'served-model-name'],
    ['zzzzzzzz', ['host', 'port'], null],
    ['x', [], null],
  ])('%s of %j: %s', (text, candidates, expected) => {
    expect(nearest(text, candidates)).toBe(expected);
  });
});
