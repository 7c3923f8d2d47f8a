import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { StartupError } from '../../errors.js';
import type { TokenizerSpec } from '../index.js';
import { jsonFile, textFile } from '../json-file.js';
import { parseSentencePieceModel, type SentencePieceModel } from './sentencepiece-model.js';
import { sentencePieceSpec } from './sentencepiece-spec.js';

type Json = Readonly<Record<string, unknown>>;

/** What a model's folder says about text. */
export interface FolderText {
  /** Null when the folder has neither tokenizer.json nor tokenizer.model. */
  tokenizer: TokenizerSpec | null;
  /** Jinja text; null when there is none. */
  chatTemplate: string | null;
}

/**
 * Tokenizer and chat template of a folder in the layout of Hugging Face: tokenizer.json, else tokenizer.model
 * (SentencePiece), with tokenizer_config.json; chat_template.jinja, chat_template.json, or the template in
 * tokenizer_config.json. `vocabSize` = rows of the embedding. Throws a StartupError that names the file that is broken.
 */
export async function folderText(folder: string, vocabSize: number): Promise<FolderText> {
  const config = await tokenizerConfig(folder);
  const tokenizer = await tokenizerOf(folder, config);
  if (tokenizer) refuseLargerThan(vocabSize, tokenizer, folder);
  return { tokenizer, chatTemplate: await chatTemplate(folder, config) };
}

async function tokenizerOf(folder: string, config: Json): Promise<TokenizerSpec | null> {
  const tokenizer = await jsonFile(join(folder, 'tokenizer.json'));
  if (tokenizer) return { tokenizer, config };
  const path = join(folder, 'tokenizer.model');
  const bytes = await readFile(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw new StartupError(`${path} can't be read: ${error.message}`);
  });
  if (!bytes) return null;
  const added = (await jsonFile(join(folder, 'added_tokens.json'))) ?? {};
  return fromSentencePiece(parseSentencePieceModel(bytes, path), config, added);
}

/** As Hugging Face's converters read the same files. */
function fromSentencePiece(model: SentencePieceModel, config: Json, added: Json): TokenizerSpec {
  const { pieces, bosId, eosId, padId, unknownId } = model;
  const named = { bos_token: bosId, eos_token: eosId, pad_token: padId, unk_token: unknownId };
  const specialTokens = Object.fromEntries(
    Object.entries(named).flatMap(([name, id]) => (pieces[id] ? [[name, pieces[id].text]] : [])),
  );
  const around = (id: number, wanted: boolean): number[] => (wanted && pieces[id] ? [id] : []);
  // Without "legacy" a space is put in front of the text alone, not of each part behind a special token.
  const isLegacy = config.legacy !== false;
  const spec = sentencePieceSpec({
    ...model,
    unknownId: pieces[unknownId] ? unknownId : null,
    addDummyPrefix: model.addDummyPrefix && config.add_prefix_space !== false,
    characterMap: model.characterMap.length > 0 ? Buffer.from(model.characterMap).toString('base64') : null,
    frame: {
      before: around(bosId, config.add_bos_token !== false),
      after: around(eosId, config.add_eos_token === true),
    },
    specialTokens,
    prefixFirstOnly: !isLegacy,
  });
  const more = Object.entries(added).map(([content, id]) => ({ id, content, special: false }));
  const known = spec.tokenizer.added_tokens as object[];
  return {
    tokenizer: { ...spec.tokenizer, added_tokens: [...known, ...more] },
    config: { ...spec.config, ...config },
  };
}

async function tokenizerConfig(folder: string): Promise<Json> {
  const named = (await jsonFile(join(folder, 'special_tokens_map.json'))) ?? {};
  return { ...named, ...((await jsonFile(join(folder, 'tokenizer_config.json'))) ?? {}) };
}

async function chatTemplate(folder: string, config: Json): Promise<string | null> {
  const jinja = await textFile(join(folder, 'chat_template.jinja'));
  if (jinja !== null) return jinja;
  const json = await jsonFile(join(folder, 'chat_template.json'));
  return templateIn(json?.chat_template) ?? templateIn(config.chat_template);
}

/** One template, or a list of named ones, of which the default is taken. */
function templateIn(value: unknown): string | null {
  if (typeof value === 'string') return value;
  if (!Array.isArray(value)) return null;
  const found = (value as Json[]).find((entry) => entry?.name === 'default')?.template;
  return typeof found === 'string' ? found : null;
}

function refuseLargerThan(vocabSize: number, { tokenizer }: TokenizerSpec, folder: string): void {
  const vocab = (tokenizer.model as Json | undefined)?.vocab;
  const ids = Array.isArray(vocab)
    ? vocab.length
    : typeof vocab === 'object'
      ? largest(vocab as Json) + 1
      : 0;
  const added = Array.isArray(tokenizer.added_tokens) ? (tokenizer.added_tokens as Json[]) : [];
  const size = added.reduce((most, token) => Math.max(most, Number(token?.id ?? -1) + 1), ids);
  if (size > vocabSize) {
    throw new StartupError(
      `The tokenizer in ${folder} has ids up to ${size - 1}, but the model's embedding only ${vocabSize} rows.`,
    );
  }
}

function largest(vocab: Json | null): number {
  return Object.values(vocab ?? {}).reduce((most: number, id) => Math.max(most, Number(id)), -1);
}
