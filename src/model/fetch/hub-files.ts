import { StartupError } from '../../errors.js';
import { SHARD_INDEX, shardsOf } from '../checkpoint/shard-index.js';

/** Files of a repository that make up a model, and the one place that they are loaded from. */
export interface ModelFiles {
  /** Small ones first, so that weights that are there mean that all is there. */
  paths: string[];
  /** A GGUF file's path, or null for the folder. */
  file: string | null;
}

export interface Choice {
  repository: string;
  /** As in `HubName`. */
  variant: string | null;
  /** Whether weights are wanted beside what the model is spoken with. */
  weights: boolean;
  /** Content of a listed file of JSON. */
  read(path: string): Promise<string>;
}

/** What a folder is described by, beside its weights. */
const SPOKEN = new Set([
  'config.json',
  'generation_config.json',
  'tokenizer.json',
  'tokenizer_config.json',
  'tokenizer.model',
  'special_tokens_map.json',
  'added_tokens.json',
  'vocab.json',
  'merges.txt',
  'chat_template.jinja',
  'chat_template.json',
]);
const PART = /-\d{5}-of-\d{5}\.gguf$/i;
/** The quantisation that repositories of several are usually loaded in. */
const USUAL = 'Q4_K_M';

/**
 * Of the files that a repository lists, those that its model needs: config, tokenizer, template and safetensors, or one
 * GGUF file. Throws a StartupError that says what there is when that is not clear.
 */
export async function modelFiles(listed: readonly string[], choice: Choice): Promise<ModelFiles> {
  const { repository, variant } = choice;
  const ggufs = listed.filter((path) => /\.gguf$/i.test(path) && !/mmproj/i.test(path));
  const spoken = listed.filter((path) => SPOKEN.has(path));
  const isFolder = spoken.includes('config.json') && listed.some((path) => /^[^/]+\.safetensors$/.test(path));
  if (variant === null && (isFolder || ggufs.length === 0)) {
    return { paths: [...spoken, ...(await folderWeights(listed, choice))], file: null };
  }
  const file = theFile(ggufs, repository, variant);
  const beside = spoken.filter((path) => path === 'generation_config.json');
  return { paths: [...beside, file], file };
}

async function folderWeights(listed: readonly string[], choice: Choice): Promise<string[]> {
  const { repository, weights, read } = choice;
  if (listed.includes('adapter_config.json') && !listed.includes('config.json')) {
    throw new StartupError(
      `${repository} is an adapter (LoRA), not a model. Merge it into its base model first.`,
    );
  }
  if (!listed.includes('config.json'))
    throw new StartupError(`${repository} holds no config.json and no GGUF file.`);
  if (!weights) return [];
  if (listed.includes(SHARD_INDEX))
    return [SHARD_INDEX, ...shardsOf(await read(SHARD_INDEX), listed, repository)];
  const files = listed.filter((path) => /^[^/]+\.safetensors$/.test(path));
  const whole = files.filter((path) => path === 'model.safetensors');
  if (whole.length > 0 || files.length > 0) return whole.length > 0 ? whole : files;
  const pickled = listed.some((path) => /\.(bin|pth?|ckpt)$/.test(path));
  throw new StartupError(
    pickled
      ? `${repository} has its weights as Python pickles only. Load them with their own library and save them as safetensors.`
      : `${repository} holds no .safetensors and no .gguf file.`,
  );
}

function theFile(ggufs: readonly string[], repository: string, variant: string | null): string {
  const fitting =
    variant === null ? usual(ggufs) : ggufs.filter((path) => path === variant || isOf(path, variant));
  const whole = fitting.filter((path) => !PART.test(path));
  if (whole.length === 1) return whole[0]!;
  if (whole.length === 0 && fitting.length > 0) {
    throw new StartupError(
      `${fitting[0]} of ${repository} is split into parts, which tito can't read. Join them (llama-gguf-split --merge).`,
    );
  }
  const names = (whole.length > 1 ? whole : ggufs).slice(0, 40).join(', ');
  if (names === '') throw new StartupError(`${repository} holds no GGUF file.`);
  const problem =
    variant === null || whole.length > 1 ? 'holds several GGUF files' : `holds no GGUF file "${variant}"`;
  throw new StartupError(
    `${repository} ${problem}. Name one, as in ${repository}:FILE.gguf. There are: ${names}.`,
  );
}

function usual(ggufs: readonly string[]): readonly string[] {
  if (ggufs.length === 1) return ggufs;
  const preferred = ggufs.filter((path) => isOf(path, USUAL));
  return preferred.length > 0 ? preferred : ggufs;
}

/** Whether a file's name ends with a quantisation, such as `model.Q4_K_M.gguf` or `model-q4_k_m-00001-of-00002.gguf`. */
function isOf(path: string, quantisation: string): boolean {
  const bare = path
    .replace(PART, '.gguf')
    .replace(/\.gguf$/i, '')
    .toLowerCase();
  const wanted = quantisation.toLowerCase();
  return bare.endsWith(wanted) && /[-._/]/.test(bare.at(-wanted.length - 1) ?? '/');
}
