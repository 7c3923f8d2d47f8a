import { GRAPH, TOP_COUNT } from '../index.js';
import type { GraphWriter } from './graph-writer.js';

/**
 * What sampling reads of each row, computed where vector units are at hand: log-probabilities, probabilities at
 * the row's temperature, and the head of the ranking (ONNX LogSoftmax, Softmax, TopK; equal values rank by id).
 */
export async function writeScores(graph: GraphWriter, vocabSize: number): Promise<void> {
  const row = ['rows', vocabSize];
  const inverseTemperature = graph.input(GRAPH.inverseTemperature, 'float32', ['rows', 1]);
  const lastAxis = { attributes: { axis: -1 } };
  graph.node(GRAPH.logprobs, 'LogSoftmax', [GRAPH.logits], lastAxis);
  graph.output(GRAPH.logprobs, 'float32', row);

  const scaled = graph.node('scaled_logits', 'Mul', [GRAPH.logits, inverseTemperature]);
  graph.node(GRAPH.probabilities, 'Softmax', [scaled], lastAxis);
  graph.output(GRAPH.probabilities, 'float32', row);

  const count = Math.min(TOP_COUNT, vocabSize);
  const k = await graph.constant('top_count', 'int64', [1], BigInt64Array.of(BigInt(count)));
  graph.node('top', 'TopK', [GRAPH.logits, k], {
    attributes: { axis: -1, largest: 1, sorted: 1 },
    outputs: [GRAPH.topLogits, 'top_ids_wide'],
  });
  graph.node(GRAPH.topIds, 'Cast', ['top_ids_wide'], { attributes: { to: 6 } });
  graph.output(GRAPH.topLogits, 'float32', ['rows', count]);
  graph.output(GRAPH.topIds, 'int32', ['rows', count]);
}
