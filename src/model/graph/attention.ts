import type { DecoderShape, LayerKind } from '../architectures/architecture.js';
import { GRAPH } from '../index.js';
import type { Vector } from '../weights.js';
import type { DecoderWeights, LayerWeights } from './decoder-weights.js';
import { type GraphWriter, MICROSOFT } from './graph-writer.js';
import { normalised } from './norms.js';
import { rotaryTables } from './rotary.js';

interface Tables {
  cosines: string;
  sines: string;
}

/** Names of values that every layer's attention reads. */
export interface SharedInputs {
  /** Of layers that see everything, or that all layers use. */
  global: Tables;
  local: Tables | null;
  /** int64 [3]: B, S, -1. */
  batchShape: string;
  /** int64 [2]: -1, heads · headDim. */
  attentionShape: string;
  totalLength: string;
  seqlens: string;
}

const PLAIN: LayerKind = { window: null, rotary: 'global' };

export async function writeSharedInputs(
  graph: GraphWriter,
  shape: DecoderShape,
  { rotaryFactors }: Pick<DecoderWeights, 'rotaryFactors'>,
): Promise<SharedInputs> {
  const { contextLength: positions, headDim, heads, rotaryDim: dim = headDim } = shape;
  graph.input(GRAPH.inputIds, 'int64', ['batch', 'sequence']);
  const seqlens = graph.input(GRAPH.seqlensK, 'int32', ['batch']);
  const totalLength = graph.input(GRAPH.totalSequenceLength, 'int32', [1]);
  const tables = async (
    prefix: string,
    values: { cosines: Float32Array; sines: Float32Array },
  ): Promise<Tables> => ({
    cosines: await graph.constant(`${prefix}cosines`, 'float32', [positions, dim / 2], values.cosines),
    sines: await graph.constant(`${prefix}sines`, 'float32', [positions, dim / 2], values.sines),
  });
  const { rotaryBase: base, rotaryScaling: scaling, localRotaryBase } = shape;
  const factors = await rotaryFactors?.read();
  const idsShape = graph.node('ids_shape', 'Shape', [GRAPH.inputIds]);
  const rest = await shapeConstant(graph, 'rest', [-1]);
  return {
    global: await tables('', rotaryTables({ positions, dim, base, scaling, factors })),
    local:
      localRotaryBase === undefined
        ? null
        : await tables('local_', rotaryTables({ positions, dim, base: localRotaryBase })),
    batchShape: graph.node('batch_shape', 'Concat', [idsShape, rest], { attributes: { axis: 0 } }),
    attentionShape: await shapeConstant(graph, 'attention_shape', [-1, heads * headDim]),
    seqlens,
    totalLength,
  };
}

export interface AttentionPlan {
  index: number;
  shape: DecoderShape;
  shared: SharedInputs;
  layer: LayerWeights;
}

/** Attention over queries, keys and values that lie side by side, [B·S, …] → [B·S, heads · headDim]. */
export async function attend(graph: GraphWriter, plan: AttentionPlan, qkv: string): Promise<string> {
  const { index, shape, shared } = plan;
  const { heads, kvHeads, headDim } = shape;
  const { window, rotary } = shape.layerKinds?.[index] ?? PLAIN;
  const cache = ['batch', kvHeads, 'capacity', headDim];
  const key = graph.input(GRAPH.pastKey(index), 'float32', cache);
  const value = graph.input(GRAPH.pastValue(index), 'float32', cache);
  graph.output(GRAPH.presentKey(index), 'float32', cache);
  graph.output(GRAPH.presentValue(index), 'float32', cache);
  const name = `layer.${index}.attention`;
  const tables = rotary === 'none' ? null : rotary === 'local' ? shared.local! : shared.global;
  const inputs = [
    ...(await attentionInputs(graph, plan, name, qkv)),
    key,
    value,
    shared.seqlens,
    shared.totalLength,
    ...(tables ? [tables.cosines, tables.sines] : []),
  ];
  const out = graph.node(name, 'GroupQueryAttention', inputs, {
    domain: MICROSOFT,
    attributes: {
      num_heads: heads,
      kv_num_heads: kvHeads,
      do_rotary: tables ? 1 : 0,
      rotary_interleaved: 0,
      ...(window === null ? {} : { local_window_size: window }),
      ...(shape.attentionScale === undefined ? {} : { scale: { float: shape.attentionScale } }),
      ...(shape.attentionCap === undefined ? {} : { softcap: { float: shape.attentionCap } }),
    },
    outputs: [name, GRAPH.presentKey(index), GRAPH.presentValue(index)],
  });
  return graph.node(`${name}_flat`, 'Reshape', [out, shared.attentionShape]);
}

/** Query, key and value for the attention node, [B, S, …] each; the last two are empty when all lie in the first. */
async function attentionInputs(
  graph: GraphWriter,
  { shape, shared, layer }: AttentionPlan,
  name: string,
  qkv: string,
): Promise<[string, string, string]> {
  const { queryNorm, keyNorm, biases } = layer;
  const moved = biases ? await addBiases(graph, `${name}_biases`, qkv, biases) : qkv;
  const batched = (part: string, rows: string): string =>
    graph.node(`${name}_${part}`, 'Reshape', [rows, shared.batchShape]);
  if (!queryNorm || !keyNorm) return [batched('input', moved), '', ''];
  const widths = [layer.query.rows, layer.key.rows, layer.value.rows];
  const parts = ['query', 'key', 'value'].map((part) => `${name}_${part}_rows`);
  const [query, key, value] = parts as [string, string, string];
  const sizes = await shapeConstant(graph, `${name}_widths`, widths);
  graph.node(`${name}_split`, 'Split', [moved, sizes], { attributes: { axis: -1 }, outputs: parts });
  return [
    batched('query', await normOfHeads(graph, `${name}_query_norm`, shape, query, queryNorm, widths[0]!)),
    batched('key', await normOfHeads(graph, `${name}_key_norm`, shape, key, keyNorm, widths[1]!)),
    batched('value', value),
  ];
}

/** RMSNorm of each head, or of the whole row when the weight is as wide. */
async function normOfHeads(
  graph: GraphWriter,
  name: string,
  shape: DecoderShape,
  rows: string,
  weight: Vector,
  width: number,
): Promise<string> {
  if (weight.length === width) return normalised(graph, name, shape, rows, weight);
  const heads = await shapeConstant(graph, `${name}_shape`, [-1, weight.length]);
  return normalised(graph, name, shape, graph.node(`${name}_heads`, 'Reshape', [rows, heads]), weight);
}

async function addBiases(
  graph: GraphWriter,
  name: string,
  qkv: string,
  biases: readonly Vector[],
): Promise<string> {
  const values = new Float32Array(biases.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const bias of biases) {
    values.set(await bias.read(), at);
    at += bias.length;
  }
  return graph.node(name, 'Add', [qkv, await graph.constant(`${name}.values`, 'float32', [at], values)]);
}

export function shapeConstant(graph: GraphWriter, name: string, dims: readonly number[]): Promise<string> {
  return graph.constant(name, 'int64', [dims.length], BigInt64Array.from(dims, BigInt));
}
