import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createTokenizer, type Tokenizer } from '../../text/tokenizer.js';
import { Metadata } from '../gguf/metadata.js';
import { tokenizerSpec } from '../gguf/tokenizer-spec.js';
import { temporaryFolder } from '../testing/temporary-folder.js';
import { folderText } from './folder-text.js';
import { parseSentencePieceModel } from './sentencepiece-model.js';
import { PIECE } from './sentencepiece-spec.js';

/** Made by scripts/make-sentencepiece-fixtures.py with SentencePiece itself. */
interface Fixture {
  /** The tokenizer.model, in base64. */
  model: string;
  encode: Array<{ text: string; ids: number[] }>;
  decode: Array<{ ids: number[]; text: string }>;
}

const fixtures = JSON.parse(
  readFileSync(new URL('../../text/sentencepiece-fixtures.json', import.meta.url), 'utf8'),
) as Record<string, Fixture>;

async function folderWith(files: Readonly<Record<string, string | Uint8Array>>): Promise<string> {
  const folder = await temporaryFolder();
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
  return folder;
}

const modelOf = (name: string): Buffer => Buffer.from(fixtures[name]!.model, 'base64');

async function tokenizerOf(name: string, config: object = {}): Promise<Tokenizer> {
  const folder = await folderWith({
    'tokenizer.model': modelOf(name),
    'tokenizer_config.json': JSON.stringify(config),
  });
  return createTokenizer((await folderText(folder, 1000)).tokenizer!);
}

describe.each(Object.entries(fixtures))('a tokenizer.model: %s', (name, { encode, decode }) => {
  it('gives the ids of SentencePiece', async () => {
    const tokenizer = await tokenizerOf(name);
    for (const { text, ids } of encode) {
      expect({ text, ids: tokenizer.encode(text, false) }).toEqual({ text, ids });
    }
  });

  it('gives the text of SentencePiece', async () => {
    const tokenizer = await tokenizerOf(name);
    for (const { ids, text } of decode) {
      // SentencePiece writes " ⁇ " for its unknown piece, where others write the piece.
      expect({ ids, text: tokenizer.decode(ids, false).replaceAll('<unk>', ' ⁇ ') }).toEqual({ ids, text });
    }
  });
});

describe.each(['llama', 'gemma'])('the same vocabulary in a GGUF file: %s', (name) => {
  it('gives the ids of SentencePiece', () => {
    const { pieces, addDummyPrefix } = parseSentencePieceModel(modelOf(name), 'tokenizer.model');
    const metadata = new Metadata('a.gguf', {
      'tokenizer.ggml.model': 'llama',
      'tokenizer.ggml.tokens': pieces.map(({ text }) => text),
      'tokenizer.ggml.scores': pieces.map(({ score }) => score),
      'tokenizer.ggml.token_type': pieces.map(({ type }) => type),
      'tokenizer.ggml.add_space_prefix': addDummyPrefix,
      'tokenizer.ggml.bos_token_id': 1,
      'tokenizer.ggml.unknown_token_id': 0,
    });
    const tokenizer = createTokenizer(tokenizerSpec(metadata, 1000)!);
    for (const { text, ids } of fixtures[name]!.encode) {
      expect({ text, ids: tokenizer.encode(text, true) }).toEqual({ text, ids: [1, ...ids] });
    }
  });
});

describe('folderText', () => {
  it('puts BOS and EOS where tokenizer_config.json wants them', async () => {
    const bare = (await tokenizerOf('llama')).encode('a', false);
    expect((await tokenizerOf('llama')).encode('a', true)).toEqual([1, ...bare]);
    const asked = await tokenizerOf('llama', { add_bos_token: false, add_eos_token: true });
    expect(asked.encode('a', true)).toEqual([...bare, 2]);
  });

  it('finds control pieces in a text, with a space in front of what follows unless legacy is off', async () => {
    const text = '<s>the</s>the';
    const spaced = await tokenizerOf('llama');
    const the = spaced.encode('the', false);
    expect(spaced.encode(text, false)).toEqual([1, ...the, 2, ...the]);
    const once = await tokenizerOf('llama', { legacy: false });
    expect(once.encode('the', false)).toEqual(the);
    expect(once.encode(text, false)).not.toEqual(spaced.encode(text, false));
    expect(once.decode(once.encode('a the', false), false)).toBe('a the');
  });

  it('adds the tokens of added_tokens.json and tokenizer_config.json', async () => {
    const folder = await folderWith({
      'tokenizer.model': modelOf('llama'),
      'added_tokens.json': '{"<tool>":500}',
      'tokenizer_config.json': JSON.stringify({
        added_tokens_decoder: { 501: { content: '<end>', special: true } },
        chat_template: [
          { name: 'rag', template: 'r' },
          { name: 'default', template: 'd' },
        ],
      }),
    });
    const { tokenizer: spec, chatTemplate } = await folderText(folder, 1000);
    const tokenizer = createTokenizer(spec!);
    expect(tokenizer.encode('<tool><end>', false)).toEqual([500, 501]);
    expect([tokenizer.isSpecial(500), tokenizer.isSpecial(501)]).toEqual([false, true]);
    expect(chatTemplate).toBe('d');
    await writeFile(join(folder, 'chat_template.jinja'), 'j');
    expect((await folderText(folder, 1000)).chatTemplate).toBe('j');
    await expect(folderText(folder, 500)).rejects.toThrow(
      /ids up to 500, but the model's embedding only 500 rows/,
    );
  });

  it('prefers tokenizer.json, and does without either', async () => {
    const folder = await folderWith({
      'tokenizer.model': modelOf('llama'),
      'tokenizer.json': '{"model":{"vocab":{"a":3}}}',
    });
    const tokenizer = { tokenizer: { model: { vocab: { a: 3 } } }, config: {} };
    expect(await folderText(folder, 4)).toEqual({ tokenizer, chatTemplate: null });
    await expect(folderText(folder, 3)).rejects.toThrow(/ids up to 3, but the model's embedding only 3 rows/);
    expect(await folderText(await folderWith({}), 4)).toEqual({ tokenizer: null, chatTemplate: null });
  });

  it.each([
    ['tokenizer.json', '[1]', /tokenizer\.json is not a JSON object/],
    ['tokenizer_config.json', '{', /tokenizer_config\.json is not a JSON object/],
    ['tokenizer.model', '', /tokenizer\.model is not a SentencePiece model: it has no pieces/],
    ['tokenizer.model', 'version https://git-lfs', /tokenizer\.model is not a SentencePiece model/],
    ['tokenizer.model', modelOf('llama').subarray(0, 5000), /not a SentencePiece model, or a broken one/],
  ])('names the file that is broken: %s', async (file, content, message) => {
    await expect(folderText(await folderWith({ [file]: content }), 1000)).rejects.toThrow(message);
  });

  it('knows the kinds of pieces', () => {
    const { pieces } = parseSentencePieceModel(modelOf('gemma'), '');
    const texts = pieces.filter(({ type }) => type === PIECE.userDefined).map(({ text }) => text);
    expect(texts).toContain('▁▁▁▁');
    expect(pieces.filter(({ type }) => type === PIECE.byte)).toHaveLength(256);
  });
});
