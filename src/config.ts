/**
 * The option table: one row makes the flag, the environment variables, the check, the help line and the page in
 * docs/. A flag wins over the environment (`TITO_…` over other names), and that over the file of `--config`.
 */
import { availableParallelism } from 'node:os';
import { StartupError } from './errors.js';

interface OptionBase {
  /** Long flag, without dashes. */
  flag: string;
  /** Environment variables beside `TITO_FLAG_NAME`, first one that is set wins. */
  env?: readonly string[];
  help: string;
}

interface TextOption extends OptionBase {
  kind: 'text';
  default: string | null;
  choices?: readonly string[];
}
interface NumberOption extends OptionBase {
  kind: 'number';
  /** Null = decided at start. */
  default: number | null;
  minimum: number;
}
interface SwitchOption extends OptionBase {
  kind: 'switch';
  default: boolean;
}
interface ListOption extends OptionBase {
  kind: 'list';
}

export type Option = TextOption | NumberOption | SwitchOption | ListOption;

const text = (
  flag: string,
  value: string | null,
  help: string,
  more: Partial<TextOption> = {},
): TextOption => ({
  kind: 'text',
  flag,
  default: value,
  help,
  ...more,
});
const number = (
  flag: string,
  value: number | null,
  minimum: number,
  help: string,
  more: Partial<NumberOption> = {},
): NumberOption => ({ kind: 'number', flag, default: value, minimum, help, ...more });
const onOff = (
  flag: string,
  value: boolean,
  help: string,
  more: Partial<SwitchOption> = {},
): SwitchOption => ({
  kind: 'switch',
  flag,
  default: value,
  help,
  ...more,
});
const list = (flag: string, help: string, more: Partial<ListOption> = {}): ListOption => ({
  kind: 'list',
  flag,
  help,
  ...more,
});

const LOGPROBS_MODES = ['raw_logprobs', 'raw_logits', 'processed_logprobs', 'processed_logits'] as const;

/** Every option of `tito serve`. */
export const OPTIONS = {
  host: text('host', '127.0.0.1', 'Address to listen on; 0.0.0.0 for every interface.', {
    env: ['VLLM_HOST_IP'],
  }),
  port: number('port', 8000, 0, 'Port to listen on; 0 picks a free one.', { env: ['VLLM_PORT'] }),
  apiKey: list('api-key', 'A key that callers must bring. May be given several times.', {
    env: ['VLLM_API_KEY'],
  }),
  revision: text('revision', null, 'Branch, tag or commit of a model on the hub. Default: main.'),
  servedModelName: list('served-model-name', "A name that the model answers to. Default: the model's own."),
  enableScaleOut: onOff('enable-scale-out', false, 'Serve generate, abort, render and derender.'),
  tokensOnly: onOff('tokens-only', false, 'Serve generate and abort without a tokenizer.'),
  skipTokenizerInit: onOff('skip-tokenizer-init', false, 'Load no tokenizer.'),
  enableRlControl: onOff('enable-rl-control', false, 'Serve the paths that pause and change weights.', {
    env: ['VLLM_SERVER_DEV_MODE'],
  }),
  dtype: text('dtype', 'auto', "Precision of the weights; auto keeps about the file's own.", {
    choices: ['auto', 'float32', 'int4', 'int8'],
  }),
  generationConfig: text(
    'generation-config',
    'auto',
    'Where defaults for sampling come from: auto (generation_config.json beside the model), vllm (none), or a folder.',
  ),
  overrideGenerationConfig: text(
    'override-generation-config',
    null,
    'JSON of sampling defaults that win over the generation config, such as {"max_new_tokens": 512}.',
  ),
  weightsDir: text('weights-dir', null, 'Folder that weight updates may take checkpoints from.'),
  chatTemplate: text(
    'chat-template',
    null,
    "A Jinja chat template to use instead of the model's: a file, or the text itself.",
  ),
  chatTemplateContentFormat: text(
    'chat-template-content-format',
    'auto',
    'How the template wants contents: as one text, or as a list of parts (openai). auto looks into it.',
    { choices: ['auto', 'string', 'openai'] },
  ),
  defaultChatTemplateKwargs: text(
    'default-chat-template-kwargs',
    null,
    'JSON of template variables for requests that do not set them, such as {"enable_thinking": false}.',
  ),
  trustRequestChatTemplate: onOff(
    'trust-request-chat-template',
    false,
    'Let requests bring their own chat template.',
  ),
  enableAutoToolChoice: onOff(
    'enable-auto-tool-choice',
    false,
    'Serve tool_choice "auto"; needs --tool-call-parser.',
  ),
  toolCallParser: text('tool-call-parser', null, 'How the model writes tool calls, such as hermes.'),
  reasoningParser: text('reasoning-parser', null, 'How the model marks its reasoning, such as qwen3.'),
  maxModelLen: number(
    'max-model-len',
    null,
    2,
    "Longest prompt and output together. Default: the model's own.",
  ),
  maxNumSeqs: number('max-num-seqs', 32, 1, 'Sequences that may run at once, on each rank.'),
  kvCacheMemory: number(
    'kv-cache-memory',
    null,
    1,
    'Most MiB of keys and values on each rank; lowers --max-num-seqs where it must.',
  ),
  maxNumBatchedTokens: number('max-num-batched-tokens', 256, 16, 'Positions computed in one step.'),
  dataParallelSize: number('data-parallel-size', 1, 1, 'Engine processes.'),
  threads: number('threads', null, 1, 'Threads of each engine process. Default: cores ÷ processes.'),
  runtime: text('runtime', 'c-api', 'How ONNX Runtime is called; node copies the cache each step.', {
    choices: ['c-api', 'node'],
  }),
  schedulingPolicy: text('scheduling-policy', 'fcfs', 'Order of waiting requests.', {
    choices: ['fcfs', 'priority'],
  }),
  promptLookup: number(
    'prompt-lookup',
    0,
    0,
    'Tokens to guess, from what a sequence holds already, while it decodes alone; checked in one step. 0 is off.',
  ),
  enablePrefixCaching: onOff('enable-prefix-caching', true, 'Reuse the state of common prompt beginnings.'),
  enablePromptTokensDetails: onOff(
    'enable-prompt-tokens-details',
    false,
    'Report cached prompt tokens in usage.',
  ),
  maxQueue: number('max-queue', 1024, 0, 'Requests that may wait; more are refused with a 503.', {
    env: ['VLLM_MAX_NUM_QUEUED_REQS'],
  }),
  maxLogprobs: number(
    'max-logprobs',
    20,
    -1,
    'Largest logprobs a request may ask for; -1 is the vocabulary.',
  ),
  logprobsMode: text('logprobs-mode', 'raw_logprobs', 'What logprobs are of.', { choices: LOGPROBS_MODES }),
  returnTokensAsTokenIds: onOff('return-tokens-as-token-ids', false, 'Show logprob tokens as token_id:N.'),
  returnSamplingMask: onOff(
    'return-sampling-mask',
    false,
    'Report for each token the ids it could have been.',
  ),
  enableReturnRoutedExperts: onOff(
    'enable-return-routed-experts',
    false,
    'Tell which experts each position was sent to; mixtures of experts only.',
  ),
  enableTraceReplay: onOff('enable-trace-replay', false, 'Allow trace_decode_token_ids.'),
  maxBodySize: number('max-body-size', 64, 1, 'Largest request body, in MiB.'),
  shutdownTimeout: number('shutdown-timeout', 0, 0, 'Seconds that running requests get after SIGTERM.'),
  logLevel: text('log-level', 'info', 'Least severity that is logged.', {
    env: ['VLLM_LOGGING_LEVEL'],
    choices: ['debug', 'info', 'warn', 'error', 'silent'],
  }),
} as const satisfies Record<string, Option>;

type ValueOf<T extends Option> = T extends { kind: 'text' }
  ? T['default'] extends null
    ? string | null
    : string
  : T extends { kind: 'number' }
    ? number | null
    : T extends { kind: 'switch' }
      ? boolean
      : string[];

/** Names of an option's environment variables; the first one that is set wins. */
export function environmentNames({ flag, env = [] }: Option): string[] {
  return [`TITO_${flag.toUpperCase().replaceAll('-', '_')}`, ...env];
}

export type OptionName = keyof typeof OPTIONS;

/** Options that a server without weights has no use for. */
export const ENGINE_ONLY: ReadonlySet<OptionName> = new Set<OptionName>([
  'enableScaleOut',
  'tokensOnly',
  'skipTokenizerInit',
  'enableRlControl',
  'weightsDir',
  'dtype',
  'maxNumSeqs',
  'kvCacheMemory',
  'maxNumBatchedTokens',
  'dataParallelSize',
  'threads',
  'runtime',
  'schedulingPolicy',
  'promptLookup',
  'enablePrefixCaching',
  'enablePromptTokensDetails',
  'maxQueue',
  'maxLogprobs',
  'logprobsMode',
  'returnSamplingMask',
  'enableReturnRoutedExperts',
  'enableTraceReplay',
]);
export type Config = { -readonly [Name in OptionName]: ValueOf<(typeof OPTIONS)[Name]> } & {
  model: string | null;
  /** Serve render and derender alone, without weights. */
  renderOnly: boolean;
};

/** What a command line says: a value for each option that was given. */
export type GivenOptions = Partial<Record<OptionName, unknown>>;

/** Resolve flags, environment, config file and defaults. Throws a StartupError that names the option. */
export function resolveConfig(
  model: string | null,
  given: GivenOptions,
  env: NodeJS.ProcessEnv,
  renderOnly = false,
  file: GivenOptions = {},
): Config {
  const entries = Object.entries(OPTIONS).map(([name, option]) => [
    name,
    resolveOption(option, given[name as OptionName], env, file[name as OptionName]),
  ]);
  const config = { ...Object.fromEntries(entries), model, renderOnly } as Config;
  if (config.returnSamplingMask && config.logprobsMode !== 'processed_logprobs') {
    throw new StartupError('--return-sampling-mask needs --logprobs-mode processed_logprobs.');
  }
  if (config.enableAutoToolChoice && config.toolCallParser === null) {
    throw new StartupError('--enable-auto-tool-choice needs --tool-call-parser.');
  }
  return config;
}

/** Threads of each engine process, when not given. */
export function defaultThreads(ranks: number): number {
  return Math.max(1, Math.floor(availableParallelism() / ranks));
}

function resolveOption(option: Option, given: unknown, env: NodeJS.ProcessEnv, filed: unknown): unknown {
  const raw = given ?? fromEnvironment(option, env) ?? filed;
  switch (option.kind) {
    case 'list':
      return raw === undefined ? [] : [raw].flat();
    case 'switch':
      return raw === undefined ? option.default : raw === true || raw === '1' || raw === 'true';
    case 'number':
      return raw === undefined ? option.default : checkedNumber(option, raw);
    case 'text':
      return raw === undefined ? option.default : checkedText(option, String(raw));
  }
}

function fromEnvironment(option: Option, env: NodeJS.ProcessEnv): string | undefined {
  const value = environmentNames(option)
    .map((name) => env[name])
    .find((set) => set !== undefined && set !== '');
  return option.kind === 'text' && option.choices ? value?.toLowerCase() : value;
}

function checkedNumber({ flag, minimum }: NumberOption, raw: unknown): number {
  const value = Number(raw);
  if (!Number.isInteger(value) || value < minimum) {
    throw new StartupError(`--${flag} must be an integer of at least ${minimum}, got ${String(raw)}.`);
  }
  return value;
}

function checkedText({ flag, choices }: TextOption, value: string): string {
  if (choices && !choices.includes(value)) {
    throw new StartupError(`--${flag} must be one of ${choices.join(', ')}, got ${value}.`);
  }
  return value;
}
