import type { Logger } from 'pino';
import { type Config, defaultThreads } from '../config.js';
import { createLocalEngine } from '../engine/local.js';
import type { LogprobsMode } from '../engine/sampler.js';
import type { SchedulingPolicy } from '../engine/waiting-queue.js';
import { StartupError } from '../errors.js';
import { generationConfig } from '../model/generation-config.js';
import type { ModelArtifact, ModelConfig, ModelDtype } from '../model/index.js';
import { loadModel } from '../model/load-model.js';
import { terminalProgress } from '../model/terminal-progress.js';
import type { RuntimeBackend } from '../runtime/session.js';
import { GrammarChecker } from '../structured/grammar-checker.js';
import type { GrammarVocabulary } from '../structured/index.js';
import { grammarVocabulary } from '../structured/vocabulary.js';
import { createTokenizer, type Tokenizer } from '../text/tokenizer.js';
import type { LoadedModel } from './state.js';

/** Find or build the model, start the engine, and wait until it is ready. Throws a StartupError. */
export async function loadEngine(config: Config, log: Logger): Promise<LoadedModel> {
  const artifact = await loadModel(config.model ?? undefined, {
    dtype: config.dtype as ModelDtype | 'auto',
    progress: terminalProgress(),
  });
  const generation = await generationConfig(artifact.source, {
    source: config.generationConfig,
    override: config.overrideGenerationConfig,
  });
  const withTokenizer = !config.tokensOnly && !config.skipTokenizerInit;
  const tokenizer = withTokenizer && artifact.tokenizer ? createTokenizer(artifact.tokenizer) : null;
  const model = withStopsOf(artifact, generation.eosIds, tokenizer);
  const vocabulary = tokenizer && model.tokenizer ? grammarVocabulary(model.tokenizer, model.config) : null;
  const engine = createLocalEngine(engineOptions(config, model, vocabulary));
  await engine.ready();
  log.info({ model: artifact.source, ...engine.info }, 'ready');
  const settings = {
    engine: engine.info,
    tokenizer,
    grammars: vocabulary && new GrammarChecker(vocabulary),
    servedModelNames: config.servedModelName.length > 0 ? config.servedModelName : [nameOf(artifact.source)],
    maxLogprobs: config.maxLogprobs ?? 20,
    returnTokensAsTokenIds: config.returnTokensAsTokenIds,
    enablePromptTokensDetails: config.enablePromptTokensDetails,
    enableTraceReplay: config.enableTraceReplay,
    returnSamplingMask: config.returnSamplingMask,
    defaultSampling: generation.sampling,
    maxTokensLimit: generation.maxTokensLimit,
  };
  return { engine, settings, source: artifact.source };
}

/**
 * The model's EOS ids and those of its generation config. Without a tokenizer nobody names the primary EOS: all of
 * them count as stop ids (stop_reason says which).
 */
function withStopsOf(
  artifact: ModelArtifact,
  more: readonly number[],
  tokenizer: Tokenizer | null,
): ModelArtifact {
  const { eosIds: own, vocabSize } = artifact.config;
  const unknown = more.find((id) => id < 0 || id >= vocabSize);
  if (unknown !== undefined) {
    throw new StartupError(
      `The generation config's eos_token_id ${unknown} is outside the vocabulary of ${vocabSize}.`,
    );
  }
  const ids = [...new Set([...own, ...more])];
  const eosIds = tokenizer ? ids : [NO_PRIMARY, ...ids];
  return { ...artifact, config: { ...artifact.config, eosIds } };
}

/** No token has this id. */
const NO_PRIMARY = -1;

function engineOptions(
  config: Config,
  artifact: ModelArtifact,
  vocabulary: GrammarVocabulary | null,
): Parameters<typeof createLocalEngine>[0] {
  const ranks = config.dataParallelSize ?? 1;
  const { contextLength } = artifact.config;
  const maxModelLen = config.maxModelLen ?? contextLength;
  if (maxModelLen > contextLength) {
    throw new StartupError(
      `--max-model-len is ${maxModelLen}, but the model's own length is ${contextLength}.`,
    );
  }
  return {
    ranks,
    maxQueue: config.maxQueue ?? 0,
    rank: {
      graphPath: artifact.graphPath,
      vocabulary,
      config: artifact.config,
      maxModelLen,
      maxNumSeqs: slotsWithin(config, artifact.config, maxModelLen),
      maxBatchedTokens: config.maxNumBatchedTokens ?? 256,
      policy: config.schedulingPolicy as SchedulingPolicy,
      prefixCaching: config.enablePrefixCaching,
      samplingMask: config.returnSamplingMask,
      logprobsMode: config.logprobsMode as LogprobsMode,
      threads: config.threads ?? defaultThreads(ranks),
      backend: config.runtime as RuntimeBackend,
    },
  };
}

/** Sequences that may run at once: as many as asked for, or as many as fit the memory given for keys and values. */
function slotsWithin(config: Config, model: ModelConfig, maxModelLen: number): number {
  const asked = config.maxNumSeqs ?? 1;
  if (config.kvCacheMemory === null) return asked;
  const slotBytes = 2 * model.layers * model.kvHeads * model.headDim * maxModelLen * FLOAT_BYTES;
  const fitting = Math.floor((config.kvCacheMemory * MIB) / slotBytes);
  if (fitting < 1) {
    const needed = Math.ceil(slotBytes / MIB);
    throw new StartupError(
      `--kv-cache-memory is ${config.kvCacheMemory} MiB, but one sequence of ${maxModelLen} tokens takes ${needed} MiB. ` +
        'Raise it, or lower --max-model-len.',
    );
  }
  return Math.min(asked, fitting);
}

const FLOAT_BYTES = 4;
const MIB = 1024 * 1024;

/** `…/SmolLM2-135M-Instruct.Q4_1.gguf` is served as `SmolLM2-135M-Instruct`. */
function nameOf(source: string): string {
  return source
    .split('/')
    .at(-1)!
    .replace(/(\.(I?Q\d\w*|B?F\d+))?\.gguf$/i, '');
}
