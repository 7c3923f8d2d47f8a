import { constants } from 'node:fs';
import { copyFile, link, readdir, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import onnxProto, { type onnx } from 'onnx-proto';
import { StartupError } from '../../errors.js';
import { type BuiltModel, GRAPH_FILE } from '../built-model.js';
import { ExternalData } from '../graph/external-data.js';
import { GraphWriter } from '../graph/graph-writer.js';
import { writeScores } from '../graph/scores.js';
import type { ModelConfig, ModelDescription, ModelDtype } from '../index.js';
import { jsonFile } from '../json-file.js';
import { folderText } from '../tokenizer/folder-text.js';
import { type AdaptedGraph, adaptGraph } from './adapt-graph.js';

const { onnx: proto } = onnxProto;

type Json = Readonly<Record<string, unknown>>;

/** A folder with an exported graph, and what its configuration says. */
export interface OnnxFolder {
  folder: string;
  /** Path of the .onnx file. */
  graph: string;
  architecture: string;
  contextLength: number;
  hiddenSize: number;
  bosId: number | null;
  eosIds: number[];
  /** As the configuration has it; the graph's own counts. */
  vocabSize: number;
}

/** Protobuf can't hold more in one message. */
const MOST_GRAPH_BYTES = 2 ** 31 - 1;

/**
 * The exported graph of a folder: as onnxruntime-genai lays it out (genai_config.json) or as transformers.js does
 * (config.json, onnx/model.onnx or model.onnx). Null for a file, and for a folder without one or with safetensors, which come first.
 * Throws a StartupError that names what is broken.
 */
export async function openOnnxFolder(folder: string): Promise<OnnxFolder | null> {
  const names = await readdir(folder).catch(() => null);
  if (names === null || names.some((name) => /\.safetensors$/i.test(name))) return null;
  const genai = await jsonFile(join(folder, 'genai_config.json'));
  if (genai) return genaiFolder(folder, genai);
  const graph = await exportedGraph(folder, names);
  if (graph === null) return null;
  const config = await jsonFile(join(folder, 'config.json'));
  if (!config) throw new StartupError(`${folder} has ${basename(graph)}, but no config.json beside it.`);
  return described(folder, graph, config, {
    type: config.model_type,
    context: config.max_position_embeddings,
    hidden: config.hidden_size,
  });
}

function genaiFolder(folder: string, { model }: Json): OnnxFolder {
  const config = object(model);
  const decoder = object(config.decoder);
  const file = decoder.filename;
  if (typeof file !== 'string' || file !== basename(file) || file === '..' || file === '.') {
    throw new StartupError(`genai_config.json of ${folder} names no decoder file inside the folder.`);
  }
  const facts = { type: config.type, context: config.context_length, hidden: decoder.hidden_size };
  return described(folder, join(folder, file), config, facts);
}

function described(
  folder: string,
  graph: string,
  config: Json,
  { type, context, hidden }: { type: unknown; context: unknown; hidden: unknown },
): OnnxFolder {
  const count = (name: string, value: unknown): number => {
    if (typeof value === 'number' && Number.isInteger(value) && value >= 1) return value;
    throw new StartupError(`The configuration in ${folder} gives no ${name}.`);
  };
  return {
    folder,
    graph,
    architecture: typeof type === 'string' ? type : 'unknown',
    contextLength: count('context length', context),
    hiddenSize: count('hidden size', hidden),
    vocabSize: count('vocab_size', config.vocab_size),
    bosId: Number.isInteger(config.bos_token_id) ? (config.bos_token_id as number) : null,
    eosIds: [config.eos_token_id].flat().filter((id): id is number => Number.isInteger(id)),
  };
}

async function exportedGraph(folder: string, names: readonly string[]): Promise<string | null> {
  const inner = (await readdir(join(folder, 'onnx')).catch(() => [])).map((name) => join('onnx', name));
  const graphs = [...inner, ...names].filter((name) => /(^|[\\/])model[\w-]*\.onnx$/.test(name));
  const chosen =
    graphs.find((name) => basename(name) === 'model.onnx') ?? (graphs.length === 1 ? graphs[0] : null);
  if (chosen) return join(folder, chosen);
  if (graphs.length === 0) return null;
  throw new StartupError(
    `${folder} holds several graphs and no model.onnx: ${graphs.join(', ')}. Leave one of them.`,
  );
}

const object = (value: unknown): Json => (typeof value === 'object' && value !== null ? (value as Json) : {});

/** An exported model without its weights. Throws a StartupError that says what is broken. */
export async function describeOnnx(source: OnnxFolder): Promise<Omit<ModelDescription, 'name'>> {
  const { folder, vocabSize, contextLength, eosIds } = source;
  const config = { vocabSize, contextLength, eosIds };
  return { source: folder, config, ...(await folderText(folder, vocabSize)) };
}

/** The precision that most weights of an exported graph have. Throws a StartupError when it can't be read. */
export async function onnxDtype(source: OnnxFolder): Promise<ModelDtype> {
  const nodes = (await readGraph(source)).graph?.node ?? [];
  const packed = nodes.filter(({ opType }) => opType === 'MatMulNBits');
  const bits = packed.map(({ attribute }) => Number(attribute?.find(({ name }) => name === 'bits')?.i ?? 4));
  const integers = nodes.filter(({ opType }) => /MatMulInteger|QLinearMatMul/.test(opType ?? ''));
  const floats = nodes.filter(({ opType }) => opType === 'MatMul');
  if (packed.length + integers.length <= floats.length) return 'float32';
  return packed.length >= integers.length && bits.filter((count) => count === 4).length * 2 >= bits.length
    ? 'int4'
    : 'int8';
}

/** What an exported graph is, without writing anything. Throws a StartupError that names what is not supported. */
export async function onnxConfig(source: OnnxFolder): Promise<ModelConfig> {
  const adapted = adaptGraph(await readGraph(source), source.graph);
  return modelConfig(source, adapted, await onnxDtype(source));
}

/**
 * Write an exported graph, rewritten to `GRAPH`'s contract, into `directory`, which exists; its weights are linked, or
 * copied where they can't be. An exported graph has one precision. Throws a StartupError that names what is not supported.
 */
export async function buildOnnx(
  source: OnnxFolder,
  directory: string,
  dtype: ModelDtype,
): Promise<BuiltModel> {
  const own = await onnxDtype(source);
  if (dtype !== own)
    throw new StartupError(`${source.graph} is ${own}; an exported graph can't be made ${dtype}.`);
  const adapted = adaptGraph(await readGraph(source), source.graph);
  await addScores(adapted, directory);
  for (const name of dataFiles(adapted.model, source.graph)) {
    await place(join(dirname(source.graph), name), join(directory, name));
  }
  const bytes = proto.ModelProto.encode(adapted.model).finish();
  await writeFile(join(directory, GRAPH_FILE), bytes, { flush: true });
  const text = await folderText(source.folder, adapted.vocabSize);
  return { config: modelConfig(source, adapted, dtype), ...text };
}

function modelConfig(source: OnnxFolder, adapted: AdaptedGraph, dtype: ModelDtype): ModelConfig {
  const { architecture, hiddenSize, bosId, eosIds, contextLength } = source;
  const { vocabSize, layers, heads, kvHeads, headDim, rotaryPositions } = adapted;
  const reach = Math.min(contextLength, rotaryPositions ?? contextLength);
  return {
    architecture,
    vocabSize,
    hiddenSize,
    layers,
    heads,
    kvHeads,
    headDim,
    contextLength: reach,
    bosId,
    eosIds,
    dtype,
  };
}

async function readGraph({ graph }: OnnxFolder): Promise<onnx.IModelProto> {
  try {
    const { size } = await stat(graph);
    if (size > MOST_GRAPH_BYTES) throw new Error('it is larger than an ONNX file can be');
    return proto.ModelProto.decode(await readFile(graph));
  } catch (error) {
    throw new StartupError(`${graph} is not an ONNX graph, or a broken one: ${(error as Error).message}`);
  }
}

async function addScores({ model, vocabSize }: AdaptedGraph, directory: string): Promise<void> {
  const unused = join(directory, 'scores.data');
  const data = await ExternalData.create(unused, 'scores.data');
  try {
    const writer = new GraphWriter(data);
    await writeScores(writer, vocabSize);
    writer.appendTo(model.graph!);
  } finally {
    await data.close();
    await rm(unused);
  }
}

/** Names of the files that hold the graph's weights. Throws a StartupError for one that leads out of the folder. */
function dataFiles({ graph }: onnx.IModelProto, where: string): Set<string> {
  const names = new Set<string>();
  for (const { externalData } of graph?.initializer ?? []) {
    const location = externalData?.find(({ key }) => key === 'location')?.value;
    if (location === undefined || location === null) continue;
    if (
      location !== basename(location) ||
      location === '' ||
      /^\.+$/.test(location) ||
      location === GRAPH_FILE
    ) {
      throw new StartupError(
        `${where} keeps weights in ${JSON.stringify(location.slice(0, 100))}, which is no file beside it.`,
      );
    }
    names.add(location);
  }
  return names;
}

async function place(from: string, to: string): Promise<void> {
  const file = await realpath(from).catch(() => {
    throw new StartupError(`${from} is not there: the graph keeps its weights in it.`);
  });
  await link(file, to).catch(() => copyFile(file, to, constants.COPYFILE_FICLONE));
}
