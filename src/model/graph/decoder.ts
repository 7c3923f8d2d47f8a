import type { DecoderShape } from '../architectures/architecture.js';
import { GRAPH } from '../index.js';
import type { Matrix, Vector } from '../weights.js';
import type { DecoderWeights, LayerWeights } from './decoder-weights.js';
import { type GraphWriter, MICROSOFT } from './graph-writer.js';
import type { Projections } from './projections.js';
import { rotaryTables } from './rotary.js';
import { paddingTo, type RowPadding } from './row-padding.js';
import { writeScores } from './scores.js';

/** Names of values that every layer reads. */
interface Shared {
  cosines: string;
  sines: string;
  /** int64 [3]: B, S, -1. */
  batchShape: string;
  /** int64 [2]: -1, heads · headDim. */
  attentionShape: string;
  totalLength: string;
  seqlens: string;
}

/**
 * Write the graph of `GRAPH`'s contract. Positions run as one [B·S, hidden] matrix; only attention sees B and S.
 * `advance` is told after each layer.
 */
export async function writeDecoder(
  graph: GraphWriter,
  shape: DecoderShape,
  weights: DecoderWeights,
  projections: Projections,
  advance: () => void,
): Promise<void> {
  const shared = await writeInputs(graph, shape);
  const logitRows = graph.input(GRAPH.logitRows, 'int64', ['rows']);
  const flatIds = graph.node('flat_ids', 'Reshape', [
    GRAPH.inputIds,
    await shapeConstant(graph, 'flat', [-1]),
  ]);
  const fewest = fewestRows(weights, projections);
  const positions = await paddingTo(graph, fewest, flatIds);
  const wanted = { rows: logitRows, padding: await paddingTo(graph, fewest, logitRows) };
  const embedded = await projections.embed(graph, flatIds, weights.embedding, weights.head === null);
  let hidden = positions.pad(embedded);
  let pending: string | null = null;
  for (const [index, layer] of weights.layers.entries()) {
    const last = index === weights.layers.length - 1;
    const plan = { index, shape, shared, layer, projections, positions, wanted: last ? wanted : null };
    [hidden, pending] = await writeLayer(graph, plan, hidden, pending);
    advance();
  }
  const [normed] = await addAndNorm(graph, 'final_norm', shape, hidden, pending, weights.finalNorm);
  await writeHead(graph, projections, weights.head ?? weights.embedding, normed, wanted.padding);
  graph.output(GRAPH.logits, 'float32', ['rows', shape.vocabSize]);
  await writeScores(graph, shape.vocabSize);
  advance();
}

async function writeInputs(graph: GraphWriter, shape: DecoderShape): Promise<Shared> {
  const { contextLength, headDim, heads } = shape;
  graph.input(GRAPH.inputIds, 'int64', ['batch', 'sequence']);
  const seqlens = graph.input(GRAPH.seqlensK, 'int32', ['batch']);
  const totalLength = graph.input(GRAPH.totalSequenceLength, 'int32', [1]);
  const { cosines, sines } = rotaryTables(contextLength, headDim, shape.rotaryBase);
  const table = [contextLength, headDim / 2];
  const idsShape = graph.node('ids_shape', 'Shape', [GRAPH.inputIds]);
  const rest = await shapeConstant(graph, 'rest', [-1]);
  return {
    cosines: await graph.constant('cosines', 'float32', table, cosines),
    sines: await graph.constant('sines', 'float32', table, sines),
    batchShape: graph.node('batch_shape', 'Concat', [idsShape, rest], { attributes: { axis: 0 } }),
    attentionShape: await shapeConstant(graph, 'attention_shape', [-1, heads * headDim]),
    seqlens,
    totalLength,
  };
}

/** The fewest rows that every matrix takes. */
function fewestRows({ layers, head, embedding }: DecoderWeights, projections: Projections): number {
  const inLayers = layers
    .flatMap((layer) => Object.values(layer).filter((tensor): tensor is Matrix => 'columns' in tensor))
    .map((matrix) => projections.fewestRows(matrix, 'layers'));
  return Math.max(...inLayers, projections.fewestRows(head ?? embedding, 'head'));
}

/** Logits of normed rows, which are padded; trimmed before the head, where they are small, if it takes single rows. */
async function writeHead(
  graph: GraphWriter,
  projections: Projections,
  matrix: Matrix,
  normed: string,
  wanted: RowPadding,
): Promise<void> {
  if (projections.fewestRows(matrix, 'head') === 1) {
    await projections.head(graph, GRAPH.logits, wanted.trim(normed), matrix);
    return;
  }
  const padded = `${GRAPH.logits}.padded`;
  await projections.head(graph, padded, normed, matrix);
  wanted.trim(padded, GRAPH.logits);
}

interface WantedRows {
  rows: string;
  padding: RowPadding;
}

interface LayerPlan {
  index: number;
  shape: DecoderShape;
  shared: Shared;
  layer: LayerWeights;
  projections: Projections;
  /** How rows for all positions are padded. */
  positions: RowPadding;
  /** In the last layer: the flattened positions that are still wanted after attention. */
  wanted: WantedRows | null;
}

/** One block. Returns the residual stream and the feed-forward output that is still to be added to it. */
async function writeLayer(
  graph: GraphWriter,
  plan: LayerPlan,
  hidden: string,
  pending: string | null,
): Promise<[string, string]> {
  const { index, shape, layer, projections, positions, wanted } = plan;
  const at = (part: string): string => `layer.${index}.${part}`;
  const [normed, residual] = await addAndNorm(
    graph,
    at('attention_norm'),
    shape,
    hidden,
    pending,
    layer.attentionNorm,
  );
  const qkv = await projections.project(
    graph,
    at('qkv'),
    normed,
    [layer.query, layer.key, layer.value],
    'normed',
  );
  const attention = attend(graph, plan, positions.trim(qkv));
  const attended = wanted
    ? pickRows(graph, at('attention_rows'), attention, wanted)
    : positions.pad(attention);
  const mixed = await projections.project(
    graph,
    at('attention_output'),
    attended,
    [layer.attentionOutput],
    'attended',
  );
  const stream = wanted ? pickRows(graph, at('residual_rows'), residual, wanted) : residual;
  const [feedIn, after] = await addAndNorm(
    graph,
    at('ffn_norm'),
    shape,
    stream,
    mixed,
    layer.feedForwardNorm,
  );
  const gateUp = await projections.project(graph, at('gate_up'), feedIn, [layer.gate, layer.up], 'normed');
  const gated = gate(graph, at, gateUp);
  return [after, await projections.project(graph, at('ffn_down'), gated, [layer.down], 'products')];
}

function attend(graph: GraphWriter, { index, shape, shared }: LayerPlan, qkv: string): string {
  const { heads, kvHeads, headDim } = shape;
  const cache = ['batch', kvHeads, 'capacity', headDim];
  const key = graph.input(GRAPH.pastKey(index), 'float32', cache);
  const value = graph.input(GRAPH.pastValue(index), 'float32', cache);
  graph.output(GRAPH.presentKey(index), 'float32', cache);
  graph.output(GRAPH.presentValue(index), 'float32', cache);
  const name = `layer.${index}.attention`;
  const batched = graph.node(`${name}_input`, 'Reshape', [qkv, shared.batchShape]);
  const out = graph.node(
    name,
    'GroupQueryAttention',
    [batched, '', '', key, value, shared.seqlens, shared.totalLength, shared.cosines, shared.sines],
    {
      domain: MICROSOFT,
      attributes: { num_heads: heads, kv_num_heads: kvHeads, do_rotary: 1, rotary_interleaved: 0 },
      outputs: [name, GRAPH.presentKey(index), GRAPH.presentValue(index)],
    },
  );
  return graph.node(`${name}_flat`, 'Reshape', [out, shared.attentionShape]);
}

/** Add what is pending to the residual stream, then normalise. Returns the normalised rows and the new stream. */
async function addAndNorm(
  graph: GraphWriter,
  name: string,
  { normEpsilon }: DecoderShape,
  stream: string,
  pending: string | null,
  weight: Vector,
): Promise<[string, string]> {
  const scale = await graph.constant(`${name}.weight`, 'float32', [weight.length], await weight.read());
  const epsilon = { float: normEpsilon };
  if (pending === null) {
    const attributes = { axis: -1, epsilon, stash_type: 1 };
    return [graph.node(name, 'SimplifiedLayerNormalization', [stream, scale], { attributes }), stream];
  }
  const sum = `${name}.sum`;
  graph.node(name, 'SkipSimplifiedLayerNormalization', [stream, pending, scale], {
    domain: MICROSOFT,
    attributes: { epsilon },
    outputs: [name, '', '', sum],
  });
  return [name, sum];
}

/** SiLU(gate) · up, from the two side by side. */
function gate(graph: GraphWriter, at: (part: string) => string, gateUp: string): string {
  const halves = [at('gate'), at('up')];
  graph.node(at('gate_up_split'), 'Split', [gateUp], { attributes: { axis: -1 }, outputs: halves });
  const silu = graph.node(at('silu'), 'QuickGelu', [halves[0]!], {
    domain: MICROSOFT,
    attributes: { alpha: { float: 1 } },
  });
  return graph.node(at('gated'), 'Mul', [silu, halves[1]!]);
}

function pickRows(graph: GraphWriter, name: string, values: string, { rows, padding }: WantedRows): string {
  return padding.pad(graph.node(name, 'Gather', [values, rows], { attributes: { axis: 0 } }));
}

function shapeConstant(graph: GraphWriter, name: string, dims: readonly number[]): Promise<string> {
  return graph.constant(name, 'int64', [dims.length], BigInt64Array.from(dims, BigInt));
}
