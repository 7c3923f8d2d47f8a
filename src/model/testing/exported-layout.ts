import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import onnxProto, { type onnx } from 'onnx-proto';
import { GRAPH } from '../index.js';

const { onnx: proto } = onnxProto;
const { AttributeType } = proto.AttributeProto;
const [INT32, INT64, FLOAT32] = [6, 7, 1];

export interface ExportedLayout {
  /** Put positions in as an input that something reads. */
  positionIds?: boolean;
  /** Change the graph before it is written. */
  change?: (graph: onnx.IGraphProto) => void;
}

/**
 * For tests: a graph of our own in the layout of onnxruntime-genai's builder: lengths derived from attention_mask in a
 * subgraph, logits of every position, no scores. The graph beside its weights becomes `name`.
 */
export async function toExportedLayout(
  graphPath: string,
  name: string,
  { positionIds = false, change }: ExportedLayout = {},
): Promise<string> {
  const model = proto.ModelProto.decode(await readFile(graphPath));
  const graph = model.graph!;
  const scores = [
    GRAPH.logprobs,
    GRAPH.probabilities,
    GRAPH.topLogits,
    GRAPH.topIds,
    'scaled_logits',
    'top',
    'top_ids_wide',
  ];
  const vocabSize = Number(
    graph.output!.find((out) => out.name === GRAPH.logits)!.type!.tensorType!.shape!.dim![1]!.dimValue,
  );
  graph.initializer!.push(
    int64s('one', [], 1),
    int64s('axis_one', [1], 1),
    int64s('zero', [], 0),
    int64s('flat_size', [1], -1),
  );
  graph.node = [
    ...maskNodes(),
    ...graph.node!.filter(({ output }) => !output!.some((value) => scores.includes(value))),
    node('Shape', [GRAPH.inputIds], 'batch_and_sequence'),
    node('Concat', ['batch_and_sequence', 'vocab_size'], 'logits_shape', {
      name: 'axis',
      type: AttributeType.INT,
      i: 0,
    }),
    node('Reshape', ['flat_logits', 'logits_shape'], GRAPH.logits),
  ];
  for (const own of graph.node.slice(0, -1))
    own.output = own.output!.map((value) => (value === GRAPH.logits ? 'flat_logits' : value));
  graph.initializer!.push(int64s('vocab_size', [1], vocabSize));
  if (positionIds) usePositions(graph);
  graph.input = [
    info(GRAPH.inputIds, INT64!, ['batch', 'sequence']),
    info('attention_mask', INT64!, ['batch', 'total']),
    ...(positionIds ? [info('position_ids', INT64!, ['batch', 'sequence'])] : []),
    ...graph.input!.filter((input) => input.name!.startsWith('past_key_values.')),
  ];
  graph.output = [
    info(GRAPH.logits, FLOAT32!, ['batch', 'sequence', vocabSize]),
    ...graph.output!.filter((output) => output.name!.startsWith('present.')),
  ];
  change?.(graph);
  const path = join(dirname(graphPath), name);
  await rm(graphPath);
  await writeFile(`${path}.new`, proto.ModelProto.encode(model).finish());
  await rename(`${path}.new`, path);
  return path;
}

/** seqlens_k, total_sequence_length and all rows, as exporters derive them. */
function maskNodes(): onnx.INodeProto[] {
  const to = (i: number): onnx.IAttributeProto => ({ name: 'to', type: AttributeType.INT, i });
  const keep: onnx.IAttributeProto = { name: 'keepdims', type: AttributeType.INT, i: 0 };
  return [
    node('ReduceSum', ['attention_mask', 'axis_one'], 'mask_sum', keep),
    node('Sub', ['mask_sum', 'one'], 'mask_ends'),
    node('Cast', ['mask_ends'], GRAPH.seqlensK, to(INT32!)),
    node('Shape', ['attention_mask'], 'mask_shape'),
    node('Gather', ['mask_shape', 'one'], 'mask_length'),
    node('Cast', ['mask_length'], GRAPH.totalSequenceLength, to(INT32!)),
    node('Reshape', [GRAPH.inputIds, 'flat_size'], 'flat_for_size'),
    node('Size', ['flat_for_size'], 'row_count'),
    node('Range', ['zero', 'row_count', 'one'], GRAPH.logitRows),
  ];
}

/** GroupQueryAttention takes positions as its tenth input. */
function usePositions(graph: onnx.IGraphProto): void {
  for (const own of graph.node!) {
    if (own.opType === 'GroupQueryAttention') own.input = [...own.input!.slice(0, 9), 'position_ids'];
  }
}

function node(
  opType: string,
  input: string[],
  output: string,
  ...attribute: onnx.IAttributeProto[]
): onnx.INodeProto {
  return { opType, name: `exported.${output}`, domain: '', input, output: [output], attribute };
}

function int64s(name: string, dims: number[], ...values: number[]): onnx.ITensorProto {
  return { name, dataType: INT64!, dims, rawData: new Uint8Array(BigInt64Array.from(values, BigInt).buffer) };
}

function info(name: string, elemType: number, dims: ReadonlyArray<number | string>): onnx.IValueInfoProto {
  const dim = dims.map((size) => (typeof size === 'number' ? { dimValue: size } : { dimParam: size }));
  return { name, type: { tensorType: { elemType, shape: { dim } } } };
}
