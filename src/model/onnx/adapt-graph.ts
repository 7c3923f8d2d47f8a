import onnxProto, { type onnx } from 'onnx-proto';
import { StartupError } from '../../errors.js';
import { GRAPH } from '../index.js';
import { liveNodes, referencesOf, renameValues } from './graph-values.js';

const { onnx: proto } = onnxProto;

/** What the graph of an ONNX folder says about its model. */
export interface AdaptedGraph {
  model: onnx.IModelProto;
  layers: number;
  heads: number;
  kvHeads: number;
  headDim: number;
  vocabSize: number;
  /** Positions of its rotary tables; null when they are not stored in it. */
  rotaryPositions: number | null;
}

/** What exporters call their inputs. */
const MASK = 'attention_mask';
const POSITIONS = 'position_ids';
const FLOAT32 = 1;
const INT32 = 6;
const INT64 = 7;
const LEAST_OPSET = 13;
/** Inputs of GroupQueryAttention (ONNX Runtime contrib operators). */
const AT = { pastKey: 3, pastValue: 4, seqlensK: 5, totalLength: 6, cosines: 7 } as const;

/**
 * Rewrite a decoder as onnxruntime-genai's model builder and transformers.js lay it out to `GRAPH`'s contract: lengths are
 * inputs instead of being derived from `attention_mask`, positions follow from lengths, and logits are of the rows that
 * are asked for. What scores need is not added here. `where` is for messages. Throws a StartupError that names what the
 * engine can't do with the graph.
 */
export function adaptGraph(model: onnx.IModelProto, where: string): AdaptedGraph {
  const { graph } = model;
  if (!graph?.node || !graph.input || !graph.output) throw new StartupError(`${where} holds no graph.`);
  requireOpset(model, where);
  const inputs = new Map(graph.input.map((input) => [input.name!, input]));
  requireInput(inputs, GRAPH.inputIds, INT64, where);
  renameValues(graph, new Map(CONTRACT.map((name) => [name, `${name}.source`])));
  const layers = countLayers(inputs);
  if (layers === 0)
    throw new StartupError(`${where} has no input past_key_values.0.key: it keeps no keys and values.`);
  const attention = Array.from({ length: layers }, (_, layer) => attentionOf(graph, inputs, layer, where));
  for (const node of attention) {
    node.input![AT.seqlensK] = GRAPH.seqlensK;
    node.input![AT.totalLength] = GRAPH.totalSequenceLength;
  }
  const { heads, kvHeads } = headsOf(attention[0]!);
  const [, , , headDim = 0] = dimsOf(inputs.get(GRAPH.pastKey(0))!);
  const vocabSize = logitsSize(graph, where);
  const presents = attention.flatMap((_, layer) => [GRAPH.presentKey(layer), GRAPH.presentValue(layer)]);
  const kept = liveNodes(graph.node, [...presents, `${GRAPH.logits}.source`]);
  const positions = referencesOf(kept).has(POSITIONS) ? positionNodes(graph) : [];
  refuseOtherInputs(graph, kept, inputs, where);
  graph.node = [...positions, ...kept, ...logitNodes(graph, vocabSize)];
  graph.input = [
    ...graph.input.filter(({ name }) => name === GRAPH.inputIds || name!.startsWith('past_key_values.')),
    valueInfo(GRAPH.seqlensK, INT32, ['batch']),
    valueInfo(GRAPH.totalSequenceLength, INT32, [1]),
    valueInfo(GRAPH.logitRows, INT64, ['rows']),
  ];
  graph.output = [
    ...graph.output.filter(({ name }) => presents.includes(name!)),
    valueInfo(GRAPH.logits, FLOAT32, ['rows', vocabSize]),
  ];
  graph.valueInfo = [];
  const rotaryPositions = tableLength(graph, attention[0]!.input![AT.cosines]);
  return { model, layers, heads, kvHeads, headDim, vocabSize, rotaryPositions };
}

/** Names that the contract, and the nodes that make scores, give to values of their own. */
const CONTRACT = [
  GRAPH.seqlensK,
  GRAPH.totalSequenceLength,
  GRAPH.logitRows,
  GRAPH.inverseTemperature,
  GRAPH.logits,
  GRAPH.logprobs,
  GRAPH.probabilities,
  GRAPH.topLogits,
  GRAPH.topIds,
  'scaled_logits',
  'top',
  'top_count',
  'top_ids_wide',
];

function requireOpset({ opsetImport }: onnx.IModelProto, where: string): void {
  const version = Number(opsetImport?.find(({ domain }) => !domain || domain === 'ai.onnx')?.version ?? 0);
  if (version >= LEAST_OPSET) return;
  throw new StartupError(
    `${where} uses operators of ONNX version ${version}; it takes ${LEAST_OPSET} or later.`,
  );
}

function requireInput(
  inputs: ReadonlyMap<string, onnx.IValueInfoProto>,
  name: string,
  type: number,
  where: string,
): void {
  const found = inputs.get(name);
  if (!found)
    throw new StartupError(
      `${where} has no input ${name}. It has: ${[...inputs.keys()].slice(0, 8).join(', ')}.`,
    );
  const own = found.type?.tensorType?.elemType ?? 0;
  if (own === type) return;
  const names = proto.TensorProto.DataType;
  throw new StartupError(
    `${where}: input ${name} is ${names[own] ?? own}, but the engine gives ${names[type]}. Export it with inputs and outputs in that type.`,
  );
}

function countLayers(inputs: ReadonlyMap<string, unknown>): number {
  let layers = 0;
  while (inputs.has(GRAPH.pastKey(layers))) layers++;
  return layers;
}

function attentionOf(
  graph: onnx.IGraphProto,
  inputs: ReadonlyMap<string, onnx.IValueInfoProto>,
  layer: number,
  where: string,
): onnx.INodeProto {
  const [key, value] = [GRAPH.pastKey(layer), GRAPH.pastValue(layer)];
  for (const name of [key, value]) requireInput(inputs, name, FLOAT32, where);
  const node = graph.node!.find(({ input }) => input?.includes(key));
  if (node?.opType !== 'GroupQueryAttention') {
    throw new StartupError(
      `${where}: ${key} goes into ${node?.opType ?? 'nothing'}, but the engine keeps keys and values in place, which takes GroupQueryAttention. Export the model with onnxruntime-genai's builder, or give its safetensors.`,
    );
  }
  const isPlain =
    node.input![AT.pastKey] === key &&
    node.input![AT.pastValue] === value &&
    node.output?.[1] === GRAPH.presentKey(layer) &&
    node.output[2] === GRAPH.presentValue(layer);
  if (isPlain) return node;
  throw new StartupError(
    `${where}: ${key} and ${value} do not become present.${layer}.key and .value in one step.`,
  );
}

function headsOf({ attribute = [] }: onnx.INodeProto): { heads: number; kvHeads: number } {
  const number = (name: string): number => Number(attribute?.find((found) => found.name === name)?.i ?? 0);
  return { heads: number('num_heads'), kvHeads: number('kv_num_heads') };
}

function dimsOf({ type }: onnx.IValueInfoProto): number[] {
  return (type?.tensorType?.shape?.dim ?? []).map(({ dimValue }) => Number(dimValue ?? 0));
}

function logitsSize(graph: onnx.IGraphProto, where: string): number {
  const logits = graph.output!.find(({ name }) => name === `${GRAPH.logits}.source`);
  if (!logits) throw new StartupError(`${where} has no output logits.`);
  if (logits.type?.tensorType?.elemType !== FLOAT32) {
    throw new StartupError(
      `${where}: its logits are not float32. Export it with inputs and outputs in that type.`,
    );
  }
  const dims = dimsOf(logits);
  const size = dims.at(-1) ?? 0;
  if (dims.length === 3 && size > 0 && dims[1] !== 1) return size;
  throw new StartupError(
    `${where}: its logits have shape [${dims.join(', ')}], not [batch, sequence, vocabulary] with a fixed vocabulary.`,
  );
}

function refuseOtherInputs(
  graph: onnx.IGraphProto,
  kept: readonly onnx.INodeProto[],
  inputs: ReadonlyMap<string, unknown>,
  where: string,
): void {
  const stored = new Set(graph.initializer?.map(({ name }) => name));
  for (const node of kept) {
    const other = (node.input ?? []).find(
      (name) =>
        inputs.has(name) &&
        !stored.has(name) &&
        name !== GRAPH.inputIds &&
        name !== POSITIONS &&
        !name.startsWith('past_key_values.'),
    );
    if (other === undefined) continue;
    const why = other === MASK ? 'beside the lengths that attention takes' : 'which the engine does not give';
    throw new StartupError(`${where}: ${node.opType} "${node.name}" reads ${other}, ${why}.`);
  }
}

/** position = length − new tokens + place among them, for each row: int64 [B, S]. */
function positionNodes(graph: onnx.IGraphProto): onnx.INodeProto[] {
  const at = (part: string): string => `tito.positions.${part}`;
  const constant = (part: string, dims: number[], ...values: number[]): string => {
    graph.initializer!.push(int64s(at(part), dims, values));
    return at(part);
  };
  const one = constant('one', [], 1);
  return [
    node('Shape', [GRAPH.inputIds], at('shape')),
    node('Gather', [at('shape'), one], at('count')),
    node('Range', [constant('zero', [], 0), at('count'), one], at('places')),
    node('Cast', [GRAPH.seqlensK], at('lengths'), {
      name: 'to',
      type: proto.AttributeProto.AttributeType.INT,
      i: INT64,
    }),
    node('Unsqueeze', [at('lengths'), constant('axis', [1], 1)], at('column')),
    node('Add', [at('column'), one], at('ends')),
    node('Sub', [at('ends'), at('count')], at('starts')),
    node('Add', [at('starts'), at('places')], POSITIONS),
  ];
}

function logitNodes(graph: onnx.IGraphProto, vocabSize: number): onnx.INodeProto[] {
  graph.initializer!.push(int64s('tito.logits.shape', [2], [-1, vocabSize]));
  return [
    node('Reshape', [`${GRAPH.logits}.source`, 'tito.logits.shape'], 'tito.logits.flat'),
    node('Gather', ['tito.logits.flat', GRAPH.logitRows], GRAPH.logits),
  ];
}

function node(
  opType: string,
  input: string[],
  output: string,
  ...attribute: onnx.IAttributeProto[]
): onnx.INodeProto {
  return { opType, name: `tito.${output}`, domain: '', input, output: [output], attribute };
}

function int64s(name: string, dims: number[], values: readonly number[]): onnx.ITensorProto {
  const rawData = new Uint8Array(BigInt64Array.from(values, BigInt).buffer);
  return { name, dataType: INT64, dims, rawData };
}

function valueInfo(
  name: string,
  elemType: number,
  dims: ReadonlyArray<number | string>,
): onnx.IValueInfoProto {
  const dim = dims.map((size) => (typeof size === 'number' ? { dimValue: size } : { dimParam: size }));
  return { name, type: { tensorType: { elemType, shape: { dim } } } };
}

function tableLength(graph: onnx.IGraphProto, name: string | undefined): number | null {
  const table = name ? graph.initializer?.find((found) => found.name === name) : undefined;
  return table?.dims ? Number(table.dims[0]) : null;
}
