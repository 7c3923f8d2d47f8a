import type { DecoderShape } from '../architectures/architecture.js';
import { GRAPH } from '../index.js';
import type { Matrix, Vector } from '../weights.js';
import { attend, type SharedInputs, shapeConstant, writeSharedInputs } from './attention.js';
import type { DecoderWeights, LayerWeights } from './decoder-weights.js';
import { type Router, route, writeRoutedExperts } from './experts.js';
import { feedForward } from './feed-forward.js';
import type { GraphWriter } from './graph-writer.js';
import { addAndNorm, normalised } from './norms.js';
import type { Projections } from './projections.js';
import { paddingTo, type RowPadding } from './row-padding.js';
import { scaled, softCapped } from './scalars.js';
import { writeScores } from './scores.js';

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
  const shared = await writeSharedInputs(graph, shape, weights);
  const logitRows = graph.input(GRAPH.logitRows, 'int64', ['rows']);
  const flatIds = graph.node('flat_ids', 'Reshape', [
    GRAPH.inputIds,
    await shapeConstant(graph, 'flat', [-1]),
  ]);
  const fewest = fewestRows(weights, projections);
  const positions = await paddingTo(graph, fewest, flatIds);
  const wanted = { rows: logitRows, padding: await paddingTo(graph, fewest, logitRows) };
  const embedded = await projections.embed(graph, flatIds, weights.embedding, weights.head === null);
  let hidden = positions.pad(await scaled(graph, 'embedded_scaled', embedded, shape.embeddingScale));
  let pending: string | null = null;
  const routed: string[] = [];
  for (const [index, layer] of weights.layers.entries()) {
    const last = index === weights.layers.length - 1;
    const plan = { index, shape, shared, layer, projections, positions, wanted: last ? wanted : null };
    const written = await writeLayer(graph, plan, hidden, pending);
    [hidden, pending] = [written.stream, written.pending];
    if (written.router) routed.push(positions.trim(written.router.ids));
    advance();
  }
  if (shape.experts) await writeRoutedExperts(graph, shape.experts, routed);
  const [normed] = await addAndNorm(graph, 'final_norm', shape, hidden, pending, weights.finalNorm);
  await writeLogits(graph, shape, projections, weights.head ?? weights.embedding, normed, wanted.padding);
  graph.output(GRAPH.logits, 'float32', ['rows', shape.vocabSize]);
  await writeScores(graph, shape.vocabSize);
  advance();
}

/** The fewest rows that every matrix takes. */
function fewestRows({ layers, head, embedding }: DecoderWeights, projections: Projections): number {
  const inLayers = layers
    .flatMap((layer) => Object.values(layer).filter(isMatrix))
    .map((matrix) => projections.fewestRows(matrix, 'layers'));
  return Math.max(...inLayers, projections.fewestRows(head ?? embedding, 'head'));
}

function isMatrix(part: Matrix | Vector | readonly Vector[] | null): part is Matrix {
  return part !== null && 'columns' in part;
}

/** Logits of normed rows, divided and capped where the architecture does so. */
async function writeLogits(
  graph: GraphWriter,
  { logitDivisor, logitCap }: DecoderShape,
  projections: Projections,
  matrix: Matrix,
  normed: string,
  wanted: RowPadding,
): Promise<void> {
  if (logitDivisor === undefined && logitCap === undefined) {
    return writeHead(graph, projections, matrix, normed, wanted, GRAPH.logits);
  }
  const [raw, divided] = [`${GRAPH.logits}.raw`, `${GRAPH.logits}.divided`];
  await writeHead(graph, projections, matrix, normed, wanted, raw);
  const factor = logitDivisor === undefined ? undefined : 1 / logitDivisor;
  if (logitCap === undefined) {
    await scaled(graph, GRAPH.logits, raw, factor);
  } else {
    await softCapped(graph, GRAPH.logits, await scaled(graph, divided, raw, factor), logitCap);
  }
}

/** The head's product, of rows that are padded; trimmed before the head, where they are small, if it takes single rows. */
async function writeHead(
  graph: GraphWriter,
  projections: Projections,
  matrix: Matrix,
  normed: string,
  wanted: RowPadding,
  name: string,
): Promise<void> {
  if (projections.fewestRows(matrix, 'head') === 1) {
    await projections.head(graph, name, wanted.trim(normed), matrix);
    return;
  }
  const padded = `${name}.padded`;
  await projections.head(graph, padded, normed, matrix);
  wanted.trim(padded, name);
}

interface WantedRows {
  rows: string;
  padding: RowPadding;
}

interface LayerPlan {
  index: number;
  shape: DecoderShape;
  shared: SharedInputs;
  layer: LayerWeights;
  projections: Projections;
  /** How rows for all positions are padded. */
  positions: RowPadding;
  /** In the last layer: the flattened positions that are still wanted after attention. */
  wanted: WantedRows | null;
}

interface WrittenLayer {
  /** The residual stream. */
  stream: string;
  /** The feed-forward output that is still to be added to it. */
  pending: string;
  /** Of all positions. */
  router: Router | null;
}

/** One block. With experts, the last layer's rows are picked behind the router, which tells of all positions. */
async function writeLayer(
  graph: GraphWriter,
  plan: LayerPlan,
  hidden: string,
  pending: string | null,
): Promise<WrittenLayer> {
  const { index, shape, layer, projections, positions, wanted } = plan;
  const { experts } = shape;
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
  const attention = await attend(graph, plan, positions.trim(qkv));
  const early = experts ? null : wanted;
  const attended = early ? pickRows(graph, at('attention_rows'), attention, early) : positions.pad(attention);
  const mixed = await projections.project(
    graph,
    at('attention_output'),
    attended,
    [layer.attentionOutput],
    'attended',
  );
  const stream = early ? pickRows(graph, at('residual_rows'), residual, early) : residual;
  const [feedIn, after] = await addAndNorm(
    graph,
    at('ffn_norm'),
    shape,
    stream,
    await addend(graph, at('attention_output'), shape, mixed, layer.postAttentionNorm),
    layer.feedForwardNorm,
  );
  const feed = async (rows: string, router: Router | null): Promise<string> =>
    addend(
      graph,
      at('ffn_output'),
      shape,
      await feedForward(graph, plan, rows, router),
      layer.postFeedForwardNorm,
    );
  if (!experts) return { stream: after, pending: await feed(feedIn, null), router: null };
  const router = await route(graph, at('router'), experts, feedIn, layer.router!);
  if (!wanted) return { stream: after, pending: await feed(feedIn, router), router };
  const weights = pickRows(graph, at('router_rows'), router.weights, wanted);
  const rows = pickRows(graph, at('ffn_rows'), feedIn, wanted);
  return {
    stream: pickRows(graph, at('stream_rows'), after, wanted),
    pending: await feed(rows, { ...router, weights }),
    router,
  };
}

/** What half a block gives, as it is added to the residual stream. */
async function addend(
  graph: GraphWriter,
  name: string,
  shape: DecoderShape,
  rows: string,
  norm: Vector | undefined,
): Promise<string> {
  const normed = norm ? await normalised(graph, `${name}.norm`, shape, rows, norm) : rows;
  return scaled(graph, `${name}.scaled`, normed, shape.residualScale);
}

function pickRows(graph: GraphWriter, name: string, values: string, { rows, padding }: WantedRows): string {
  return padding.pad(graph.node(name, 'Gather', [values, rows], { attributes: { axis: 0 } }));
}
