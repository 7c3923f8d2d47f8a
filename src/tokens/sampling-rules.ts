import type { SamplingParams as WireSampling } from '../../generated/types.js';
import { schemaFault, valueFault } from '../errors.js';
import type { GenerateSettings } from './settings.js';

type Rule = (sent: WireSampling, promptLength: number, settings: GenerateSettings) => void;

const MAX_LISTED_IDS = 128;

/** Rules between fields, and between fields and the model, in the reference's order of checking. */
const RULES: readonly Rule[] = [
  sequences,
  tokenCounts,
  repetition,
  tokenizerNeeded,
  logprobs,
  listedLogprobs,
  promptScores,
  vocabularyIds,
  boundedMask,
  thinkingBudget,
  traceReplay,
  hugeIntegers,
];

/** Throw the first fault found, as a 400. */
export function checkSampling(sent: WireSampling, promptLength: number, settings: GenerateSettings): void {
  for (const rule of RULES) rule(sent, promptLength, settings);
}

function sequences({ n = 1, temperature = 1 }: WireSampling, _: number, { engine }: GenerateSettings): void {
  if (n > 1 && temperature < 1e-5) throw valueFault(null, `n must be 1 when temperature is 0, got ${n}.`);
  if (n > engine.maxNumSeqs) {
    throw valueFault(null, `n must be at most the server's --max-num-seqs (${engine.maxNumSeqs}), got ${n}.`);
  }
}

function tokenCounts({ min_tokens = 0, max_tokens }: WireSampling): void {
  if (max_tokens != null && min_tokens > max_tokens) {
    throw valueFault(null, `min_tokens must be at most max_tokens (${max_tokens}), got ${min_tokens}.`);
  }
}

function repetition({ repetition_detection: detection }: WireSampling): void {
  if (!detection) return;
  const { max_pattern_size: most = 0, min_pattern_size: least = 0, min_count: count = 0 } = detection;
  if (least > most) throw valueFault(null, 'min_pattern_size must be at most max_pattern_size.');
  if (most > 0 && count < 2) {
    throw valueFault(null, 'min_count must be at least 2. Set max_pattern_size to 0 to turn detection off.');
  }
}

function tokenizerNeeded(sent: WireSampling, _: number, { tokenizer }: GenerateSettings): void {
  const stops = sent.stop === undefined || sent.stop === null ? [] : [sent.stop].flat();
  if (stops.length > 0 && sent.detokenize === false) {
    throw valueFault(null, 'stop needs detokenize: leave detokenize out, or use stop_token_ids.');
  }
  if (tokenizer) return;
  if (stops.length > 0) {
    throw valueFault(null, 'stop needs a tokenizer, and this server loads none. Use stop_token_ids.');
  }
  if (sent.bad_words?.length) {
    throw valueFault(null, 'bad_words needs a tokenizer, and this server loads none. Use logit_bias.');
  }
  if (sent.structured_outputs) {
    throw valueFault(null, 'structured_outputs needs a tokenizer, and this server loads none.');
  }
}

function logprobs(sent: WireSampling, _: number, settings: GenerateSettings): void {
  const { vocabSize } = settings.engine;
  const most = settings.maxLogprobs === -1 ? vocabSize : settings.maxLogprobs;
  for (const field of ['logprobs', 'prompt_logprobs'] as const) {
    const asked = sent[field] === -1 ? vocabSize : (sent[field] ?? 0);
    if (asked > most) {
      throw valueFault(field, `${field} of ${asked} is more than this server's --max-logprobs (${most}).`);
    }
  }
}

function listedLogprobs(sent: WireSampling, _: number, { engine }: GenerateSettings): void {
  const field = 'logprob_token_ids';
  const listed = sent[field];
  if (!listed) return;
  if (listed.length > MAX_LISTED_IDS) {
    throw valueFault(field, `${field} has ${listed.length} ids; at most ${MAX_LISTED_IDS} are allowed.`);
  }
  requireInVocabulary(field, listed, engine.vocabSize);
  if (sent.logprobs != null && sent.logprobs !== listed.length) {
    throw valueFault(
      field,
      `With ${field}, logprobs must be absent or ${listed.length}, got ${sent.logprobs}.`,
    );
  }
}

function promptScores(sent: WireSampling, promptLength: number, { engine }: GenerateSettings): void {
  const field = 'prompt_logprob_token_ids';
  const rows = sent[field];
  const start = sent.prompt_logprob_start;
  if (!rows) {
    if (start != null) throw valueFault('prompt_logprob_start', `prompt_logprob_start needs ${field}.`);
    return;
  }
  const columns = rows[0]?.length ?? 0;
  if (columns === 0 || rows.some((row) => row.length !== columns)) {
    throw valueFault(field, `${field} must be rows of one length, not empty; pad with -1.`);
  }
  const wanted = promptLength - 1 - (start ?? 0);
  if (rows.length !== wanted) {
    throw valueFault(
      field,
      `${field} must have ${wanted} rows (prompt length − 1 − start), got ${rows.length}.`,
    );
  }
  requireInVocabulary(
    field,
    rows.flat().filter((id) => id !== -1),
    engine.vocabSize,
  );
}

function vocabularyIds(sent: WireSampling, _: number, { engine }: GenerateSettings): void {
  if (Object.keys(sent.logit_bias ?? {}).some((key) => !/^\s*[+-]?\d+\s*$/.test(key))) {
    throw schemaFault('body.sampling_params', 'The keys of logit_bias must be token ids.');
  }
  requireInVocabulary('stop_token_ids', sent.stop_token_ids ?? [], engine.vocabSize);
  requireInVocabulary('allowed_token_ids', sent.allowed_token_ids ?? [], engine.vocabSize);
  requireInVocabulary('logit_bias', Object.keys(sent.logit_bias ?? {}).map(Number), engine.vocabSize);
  requireInVocabulary('trace_decode_token_ids', sent.trace_decode_token_ids ?? [], engine.vocabSize);
}

function requireInVocabulary(field: string, ids: readonly number[], vocabSize: number): void {
  const wrong = ids.filter((id) => !Number.isInteger(id) || id < 0 || id >= vocabSize);
  if (wrong.length === 0) return;
  const shown = wrong.slice(0, 5).join(', ');
  throw valueFault(field, `${field} holds ids outside the vocabulary (0 to ${vocabSize - 1}): ${shown}.`);
}

/** Fields that a forced output leaves no room for. */
const NOT_WITH_TRACE = [
  'prompt_logprobs',
  'prompt_logprob_token_ids',
  'structured_outputs',
  'repetition_detection',
  'thinking_token_budget',
] as const;

function traceReplay(sent: WireSampling, _: number, { enableTraceReplay }: GenerateSettings): void {
  const field = 'trace_decode_token_ids';
  if (!sent[field]) return;
  if (!enableTraceReplay)
    throw valueFault(null, `${field} needs a server started with --enable-trace-replay.`);
  if (sent[field].length === 0 || (sent.n ?? 1) !== 1) {
    throw valueFault(null, `${field} must be a list of at least one id, with n 1.`);
  }
  const clash =
    NOT_WITH_TRACE.find((name) => sent[name] != null) ?? (sent.bad_words?.length ? 'bad_words' : null);
  if (clash) throw valueFault(null, `${field} can't go with ${clash}.`);
}

/** A mask of the whole vocabulary for each token would be of no use, and of a greedy choice neither. */
function boundedMask(sent: WireSampling, _: number, { returnSamplingMask }: GenerateSettings): void {
  if (!returnSamplingMask) return;
  if ((sent.temperature ?? 1) <= 0) throw valueFault(null, 'Sampling masks need a temperature above 0.');
  if ((sent.top_k ?? 0) <= 0) throw valueFault(null, 'Sampling masks need a top_k of at least 1.');
}

function thinkingBudget({ thinking_token_budget: budget }: WireSampling): void {
  if (budget != null && budget !== -1)
    throw valueFault(null, 'thinking_token_budget needs a reasoning parser.');
}

function hugeIntegers({ extra_args }: WireSampling): void {
  if (holdsHugeInteger(extra_args)) {
    throw valueFault('extra_args', 'extra_args integers must be between -2**63 and 2**64 - 1.');
  }
}

/** Whether JSON holds an integer that does not fit 64 bits. */
export function holdsHugeInteger(value: unknown): boolean {
  if (typeof value === 'number') return Number.isInteger(value) && (value < -(2 ** 63) || value >= 2 ** 64);
  if (typeof value !== 'object' || value === null) return false;
  return Object.values(value).some(holdsHugeInteger);
}
