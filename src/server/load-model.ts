import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { type Config, defaultThreads } from '../config.js';
import type { Engine } from '../engine/index.js';
import { createLocalEngine } from '../engine/local.js';
import type { LogprobsMode } from '../engine/sampler.js';
import type { SchedulingPolicy } from '../engine/waiting-queue.js';
import { StartupError } from '../errors.js';
import { type GenerationConfig, generationConfig } from '../model/generation-config.js';
import type { ModelArtifact, ModelConfig, ModelDescription, ModelDtype } from '../model/index.js';
import { positionBytes } from '../model/kv-bytes.js';
import { describeSource, loadModel } from '../model/load-model.js';
import { defaultCacheDir } from '../model/model-cache.js';
import type { Progress } from '../model/progress.js';
import { sourceFiles } from '../model/source-hash.js';
import { terminalProgress } from '../model/terminal-progress.js';
import type { RenderSettings } from '../render/settings.js';
import type { RuntimeBackend } from '../runtime/session.js';
import { GrammarChecker } from '../structured/grammar-checker.js';
import type { GrammarVocabulary } from '../structured/index.js';
import { grammarVocabulary } from '../structured/vocabulary.js';
import { byteCharacters } from '../text/byte-level.js';
import type { Tokenizer } from '../text/tokenizer.js';
import { hasText, maxModelLen, renderSettings } from './load-text.js';
import type { LoadedModel, LoadedText } from './state.js';
import { WeightUpdates } from './weight-updates.js';

/**
 * Find or build the model, start the engine, tell of the text side that is made meanwhile, and wait until the engine is
 * ready. Throws a StartupError.
 */
export async function loadEngine(
  config: Config,
  log: Logger,
  onText: (text: LoadedText) => void,
): Promise<LoadedModel> {
  const found = await prepareModel(config);
  const generation = await generationOf(config, found);
  const model = withStopsOf(found, generation.eosIds, hasText(config, found));
  let tokenizer: Tokenizer | null = null;
  const vocabulary = hasText(config, found)
    ? grammarVocabulary((id) => byteCharacters(tokenizer!.bytes(id)), model.config)
    : null;
  const engine = createLocalEngine(engineOptions(config, model, vocabulary));
  const render = await renderSettingsBeside(engine, config, found, generation);
  tokenizer = render.text?.tokenizer ?? null;
  onText({ render, source: found.source });
  await engine.ready();
  log.info({ model: found.source, ...engine.info }, 'ready');
  const settings = {
    engine: engine.info,
    tokenizer,
    grammars: vocabulary && new GrammarChecker(vocabulary),
    servedModelNames: render.servedModelNames,
    maxLogprobs: config.maxLogprobs ?? 20,
    returnTokensAsTokenIds: config.returnTokensAsTokenIds,
    enablePromptTokensDetails: config.enablePromptTokensDetails,
    enableTraceReplay: config.enableTraceReplay,
    returnSamplingMask: config.returnSamplingMask,
    defaultSampling: generation.sampling,
  };
  return { engine, settings, updates: await weightUpdates(config, found, engine) };
}

/** The text side, which takes about as long as the engine's start. Closes the engine when there can be none. */
async function renderSettingsBeside(
  engine: Engine,
  config: Config,
  found: ModelArtifact,
  generation: GenerationConfig,
): Promise<RenderSettings> {
  try {
    return renderSettings(config, found, generation);
  } catch (error) {
    await engine.close(0);
    throw error;
  }
}

async function weightUpdates(
  config: Config,
  { source, config: model }: ModelArtifact,
  engine: Engine,
): Promise<WeightUpdates> {
  const stored = (await sourceFiles(source)).reduce((sum, { size }) => sum + size, 0);
  return new WeightUpdates({
    engine,
    model: source,
    dtype: model.dtype,
    weightsDir: config.weightsDir,
    folder: join(defaultCacheDir(), 'updates', `${process.pid}-${randomBytes(4).toString('hex')}`),
    largestUpload: stored * MOST_BYTES_A_STORED_BYTE + HEADER_BYTES,
  });
}

/** Float32 has eight times the bits of the narrowest format that models are stored in. */
const MOST_BYTES_A_STORED_BYTE = 8;
const HEADER_BYTES = 16 * 1024 * 1024;

/** Read what a server without weights needs of the model. Throws a StartupError. */
export async function loadTextOnly(config: Config): Promise<LoadedText> {
  const found = await describeSource(config.model ?? undefined, fetchOptions(config));
  return { render: renderSettings(config, found, await generationOf(config, found)), source: found.source };
}

/** The model of a configuration, fetched and built unless the cache has it. Throws a StartupError. */
export function prepareModel(config: Config): Promise<ModelArtifact> {
  return loadModel(config.model ?? undefined, {
    dtype: config.dtype as ModelDtype | 'auto',
    ...fetchOptions(config),
  });
}

function fetchOptions({ revision }: Config): { progress: Progress; revision?: string } {
  const progress = terminalProgress();
  return revision === null ? { progress } : { progress, revision };
}

function generationOf(config: Config, { source }: ModelDescription): Promise<GenerationConfig> {
  return generationConfig(source, {
    source: config.generationConfig,
    override: config.overrideGenerationConfig,
  });
}

/**
 * The model's EOS ids and those of its generation config. Without a tokenizer nobody names the primary EOS: all of
 * them count as stop ids (stop_reason says which).
 */
function withStopsOf(artifact: ModelArtifact, more: readonly number[], hasTokenizer: boolean): ModelArtifact {
  const { eosIds: own, vocabSize } = artifact.config;
  const unknown = more.find((id) => id < 0 || id >= vocabSize);
  if (unknown !== undefined) {
    throw new StartupError(
      `The generation config's eos_token_id ${unknown} is outside the vocabulary of ${vocabSize}.`,
    );
  }
  const ids = [...new Set([...own, ...more])];
  const eosIds = hasTokenizer ? ids : [NO_PRIMARY, ...ids];
  return { ...artifact, config: { ...artifact.config, eosIds } };
}

/** No token has this id. */
const NO_PRIMARY = -1;

/** What an engine of a configuration is started with. Throws a StartupError when no sequence fits the memory given. */
export function engineOptions(
  config: Config,
  artifact: ModelArtifact,
  vocabulary: (() => GrammarVocabulary) | null,
): Parameters<typeof createLocalEngine>[0] {
  const ranks = config.dataParallelSize ?? 1;
  const longest = maxModelLen(config, artifact);
  return {
    ranks,
    vocabulary,
    maxQueue: config.maxQueue ?? 0,
    rank: {
      graphPath: artifact.graphPath,
      config: artifact.config,
      maxModelLen: longest,
      maxNumSeqs: slotsWithin(config, artifact.config, longest),
      maxBatchedTokens: config.maxNumBatchedTokens ?? 256,
      policy: config.schedulingPolicy as SchedulingPolicy,
      prefixCaching: config.enablePrefixCaching,
      promptLookup: config.promptLookup ?? 0,
      samplingMask: config.returnSamplingMask,
      logprobsMode: config.logprobsMode as LogprobsMode,
      threads: config.threads ?? defaultThreads(ranks),
      backend: config.runtime as RuntimeBackend,
      routedExperts: routesExperts(config, artifact),
    },
  };
}

/** Throws a StartupError when a model without experts is to tell of them. */
function routesExperts(
  { enableReturnRoutedExperts }: Config,
  { name, config: { experts } }: ModelArtifact,
): boolean {
  if (enableReturnRoutedExperts && !experts) {
    throw new StartupError(
      `--enable-return-routed-experts: ${name} is no mixture of experts. Leave the option out.`,
    );
  }
  return enableReturnRoutedExperts;
}

/** Sequences that may run at once: as many as asked for, or as many as fit the memory given for keys and values. */
function slotsWithin(config: Config, model: ModelConfig, longest: number): number {
  const asked = config.maxNumSeqs ?? 1;
  if (config.kvCacheMemory === null) return asked;
  const slotBytes = positionBytes(model) * longest;
  const fitting = Math.floor((config.kvCacheMemory * MIB) / slotBytes);
  if (fitting < 1) {
    const needed = Math.ceil(slotBytes / MIB);
    throw new StartupError(
      `--kv-cache-memory is ${config.kvCacheMemory} MiB, but one sequence of ${longest} tokens takes ${needed} MiB. ` +
        'Raise it, or lower --max-model-len.',
    );
  }
  return Math.min(asked, fitting);
}

const MIB = 1024 * 1024;
