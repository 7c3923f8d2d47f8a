import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { makeTinyModel, TINY_SHAPE } from '../../../scripts/make-tiny-model.js';
import { writeGraph } from '../build-model.js';
import { GRAPH_FILE } from '../built-model.js';
import { describeModel } from '../gguf/describe.js';
import { GgufFile } from '../gguf/gguf-file.js';
import { GRAPH } from '../index.js';
import { silentProgress } from '../progress.js';
import { decoderSteps } from '../testing/decoder-steps.js';
import { runGraph } from '../testing/run-graph.js';
import { temporaryFolder } from '../testing/temporary-folder.js';
import { Weights } from '../weights.js';
import { decoderWeights } from './decoder-weights.js';
import { rotatedWeights } from './rotated-weights.js';

const TOKENS = [1, 200, 37, 299, 5, 5, 64, 318, 2, 90, 111, 259];

const everywhere = TOKENS.map((_, position) => position);

describe('rotated weights', () => {
  it.each([false, true])('compute the same function (tied head: %s)', async (tied) => {
    const folder = await temporaryFolder();
    const file = await GgufFile.open(await makeTinyModel(folder, { tied }));
    const model = describeModel(file);
    const plain = decoderWeights(model.architecture, model.shape, new Weights(file));
    const logits: Float32Array[] = [];
    for (const [name, weights] of Object.entries({ plain, rotated: rotatedWeights(plain, model.shape) })) {
      await writeGraph(join(folder, name), model, weights, 'float32', silentProgress);
      const step = decoderSteps(TINY_SHAPE, 1, TOKENS.length);
      const [result] = await runGraph(join(folder, name, GRAPH_FILE), [step(0, [TOKENS], [0], everywhere)]);
      logits.push(result![GRAPH.logits]!);
    }
    await file.close();
    const [expected, got] = logits;
    const furthest = expected!.reduce((most, value, i) => Math.max(most, Math.abs(value - got![i]!)), 0);
    expect(furthest).toBeLessThan(1e-4);
    expect(Math.max(...expected!)).toBeGreaterThan(1);
  });
});
