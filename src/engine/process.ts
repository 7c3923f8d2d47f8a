/**
 * Main of an engine process: one rank with its own session, key/value buffers and loop. It speaks `protocol.ts`
 * over IPC and ends when its parent does.
 */
import { openSession } from '../runtime/open-session.js';
import { GrammarCompiler } from '../structured/grammar-compiler.js';
import type { StructuredOutput } from '../structured/index.js';
import type { SequenceGrammar } from '../structured/sequence-grammar.js';
import { type CoreEvent, EngineCore } from './engine-core.js';
import { LoadedWeights } from './loaded-weights.js';
import { ModelRunner } from './model-runner.js';
import type { FromRank, RankCall, RankOptions, ToRank } from './protocol.js';
import { Sampler } from './sampler.js';

let core: EngineCore | null = null;
let weights: LoadedWeights | null = null;
let grammars: GrammarCompiler | null = null;

process.on('message', (message: ToRank) => receive(message));
process.on('disconnect', () => process.exit(0));
// A terminal sends Ctrl-C to the whole group; the parent decides when an engine process ends.
process.on('SIGINT', () => {});
process.on('SIGTERM', () => {});

/** Counts go out when a sequence ended, and else only so often: telling them costs as much as a token does. */
const REPORT_MS = 50;
let reportedAt = 0;

function isReportDue(events: readonly CoreEvent[]): boolean {
  const now = performance.now();
  if (now - reportedAt < REPORT_MS && !events.some(([, { finish }]) => finish)) return false;
  reportedAt = now;
  return true;
}

function send(message: FromRank): void {
  process.send?.(message);
}

function receive(message: ToRank): void {
  switch (message.type) {
    case 'start':
      start(message.options).catch((error: Error) => {
        send({ type: 'failed', message: error.message });
        process.exitCode = 1;
        process.disconnect();
      });
      break;
    case 'vocabulary':
      grammars = new GrammarCompiler(message.vocabulary);
      break;
    case 'submit':
      core?.submit(message.request);
      break;
    case 'abort':
      core?.abort(message.id);
      break;
    case 'end':
      core?.end(message.id, message.index);
      break;
    case 'call':
      answer(message.number, message.call);
      break;
    case 'close':
      core?.close();
      break;
  }
}

async function start(options: RankOptions): Promise<void> {
  const session = await openSession(options.graphPath, options);
  const runner = new ModelRunner(session, options.config, {
    slots: options.maxNumSeqs,
    capacity: options.maxModelLen,
    maxChunk: Math.min(options.maxBatchedTokens, options.maxModelLen),
    routedExperts: options.routedExperts,
  });
  const sampler = new Sampler(options.config.vocabSize, options);
  const loop = new EngineCore(
    runner,
    sampler,
    { ...options, eosIds: options.config.eosIds },
    { begin },
    (events) => {
      send({ type: 'events', events, stats: isReportDue(events) ? loop.stats() : null });
    },
  );
  core = loop;
  weights = new LoadedWeights(loop, runner, options);
  send({ type: 'ready' });
  await loop.run();
  await runner.close();
  process.disconnect();
}

async function begin(shape: StructuredOutput): Promise<SequenceGrammar> {
  if (!grammars) throw new Error('there is no vocabulary for grammars');
  return grammars.begin(shape);
}

async function answer(number: number, call: RankCall): Promise<void> {
  try {
    await perform(call);
    send({ type: 'returned', number, error: null });
  } catch (error) {
    send({ type: 'returned', number, error: (error as Error).message });
  }
}

async function perform(call: RankCall): Promise<void> {
  if (!core || !weights) throw new Error('the engine is still starting');
  switch (call.method) {
    case 'pause':
      return core.pause(call.mode, call.clearCache);
    case 'resume':
      return core.resume();
    case 'setWeightVersion':
      return core.setWeightVersion(call.version);
    case 'loadWeights':
      return weights.load(call.graphPath);
    case 'dropWeights':
      return weights.drop();
    case 'swapWeights':
      return weights.swap(call.version);
    case 'resetPrefixCache':
      return core.resetPrefixCache();
  }
}
