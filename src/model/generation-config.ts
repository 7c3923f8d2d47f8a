import { readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { StartupError } from '../errors.js';

/** What a model's makers, or the operator, set for requests that leave a field out. */
export interface GenerationConfig {
  /** Sampling fields under their wire names; `max_tokens` stands for `max_new_tokens`. */
  sampling: Readonly<Record<string, number>>;
  /** Most tokens of any rendered request, set by the operator; null = no such limit. */
  maxTokensLimit: number | null;
  /** Ids that end a sequence beside those of the model file. */
  eosIds: readonly number[];
}

export interface GenerationOptions {
  /** `auto` = `generation_config.json` beside the model file or in its folder, if any; `vllm` = none; else a folder or a file. */
  source: string;
  /** JSON text of fields that win over the file's; null = none. */
  override: string | null;
}

const FILE = 'generation_config.json';
const FIELDS = [
  'repetition_penalty',
  'presence_penalty',
  'frequency_penalty',
  'temperature',
  'top_k',
  'top_p',
  'min_p',
  'max_new_tokens',
] as const;

type Fields = Readonly<Record<string, unknown>>;

/**
 * The generation config of a model (Hugging Face `generation_config.json`). Throws a StartupError for a file that
 * was named but is not there, for broken JSON, and for values that are no numbers.
 */
export async function generationConfig(
  modelPath: string,
  { source, override }: GenerationOptions,
): Promise<GenerationConfig> {
  const file = await fromFile(modelPath, source);
  const overrides = overridesOf(override);
  const sampling = { ...samplingOf(file), ...samplingOf(overrides) };
  const isOperators = source !== 'auto' && source !== 'vllm';
  const limit = isOperators ? sampling.max_tokens : samplingOf(overrides).max_tokens;
  return { sampling, maxTokensLimit: limit ?? null, eosIds: eosIdsOf(file) };
}

async function fromFile(modelPath: string, source: string): Promise<Fields> {
  if (source === 'vllm') return {};
  if (source === 'auto') {
    const folder = (await isFolder(modelPath)) ? modelPath : dirname(modelPath);
    const path = join(folder, FILE);
    const text = await readFile(path, 'utf8').catch(() => null);
    return text === null ? {} : parse(text, path);
  }
  const path = source.endsWith('.json') ? source : join(source, FILE);
  const text = await readFile(path, 'utf8').catch(() => {
    throw new StartupError(
      `--generation-config: can't read ${path}. Name a folder with a ${FILE}, or auto, or vllm for none.`,
    );
  });
  return parse(text, path);
}

function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

function overridesOf(text: string | null): Fields {
  if (text === null) return {};
  const fields = parse(text, '--override-generation-config');
  const unknown = Object.keys(fields).find((name) => !(FIELDS as readonly string[]).includes(name));
  if (unknown !== undefined) {
    throw new StartupError(`--override-generation-config has "${unknown}"; it can set ${FIELDS.join(', ')}.`);
  }
  return fields;
}

function parse(text: string, where: string): Fields {
  try {
    const value: unknown = JSON.parse(text);
    if (value !== null && typeof value === 'object' && !Array.isArray(value)) return value as Fields;
  } catch {
    // Falls through to the same message.
  }
  throw new StartupError(`${where} is not a JSON object.`);
}

function samplingOf(fields: Fields): Record<string, number> {
  const found: Record<string, number> = {};
  for (const name of FIELDS) {
    const value = fields[name];
    if (value === undefined || value === null) continue;
    if (typeof value !== 'number') {
      throw new StartupError(
        `The generation config's ${name} must be a number, got ${JSON.stringify(value)}.`,
      );
    }
    found[name === 'max_new_tokens' ? 'max_tokens' : name] = value;
  }
  return found;
}

function eosIdsOf({ eos_token_id: ids }: Fields): number[] {
  return [ids].flat().filter((id): id is number => Number.isInteger(id));
}
