import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { TokenizerSpec } from '../model/index.js';
import { IncrementalDetokenizer } from './incremental.js';
import { createTokenizer, type Tokenizer } from './tokenizer.js';

/** Made by scripts/make-tokenizer-fixtures.py with the reference tokenizers. */
interface Family {
  tokenizer: Record<string, unknown>;
  /** Offsets are counted in characters: start and end of each token in turn; absent where the reference's are of no use. */
  encode: Array<{ text: string; ids: number[]; offsets?: number[] }>;
  /** Text of ids, whole and, behind a prompt, one by one. */
  decode: Array<{ ids: number[]; skip: boolean; text: string; prompt?: number[]; deltas?: string[] }>;
}

const families = JSON.parse(
  readFileSync(new URL('./tokenizer-fixtures.json', import.meta.url), 'utf8'),
) as Record<string, Family>;

const spec = (tokenizer: Record<string, unknown>): TokenizerSpec => ({ tokenizer, config: {} });
const load = (name: string): Tokenizer => createTokenizer(spec(families[name]!.tokenizer));

/** A copy of a family's tokenizer.json with some parts exchanged. */
const changed = (name: string, parts: Record<string, unknown>): TokenizerSpec =>
  spec({ ...families[name]!.tokenizer, ...parts });

describe.each(Object.entries(families))('%s', (_, { tokenizer: content, encode, decode }) => {
  const tokenizer = createTokenizer(spec(content));

  it('gives the ids of the reference', () => {
    for (const { text, ids } of encode)
      expect({ text, ids: tokenizer.encode(text, true) }).toEqual({ text, ids });
  });

  it('gives the offsets of the reference, and the same ids with them', () => {
    for (const { text, ids, offsets } of encode) {
      const encoded = tokenizer.encodeWithOffsets(text, true);
      expect(encoded.ids).toEqual(ids);
      if (offsets) expect({ text, offsets: encoded.offsets.flat() }).toEqual({ text, offsets });
    }
    expect(encode.filter(({ offsets }) => offsets).length).toBeGreaterThan(5);
  });

  it('decodes to the text of the reference', () => {
    for (const { ids, skip, text } of decode) {
      expect({ ids, skip, text: tokenizer.decode(ids, skip) }).toEqual({ ids, skip, text });
    }
  });

  it('streams the deltas of the reference, also when resumed from its state after each id', () => {
    for (const { ids, skip, prompt, deltas } of decode) {
      if (!prompt || !deltas) continue;
      let detokenizer = new IncrementalDetokenizer(tokenizer, prompt, skip);
      const own = ids.map((id) => {
        const delta = detokenizer.push(id);
        const state = JSON.parse(JSON.stringify(detokenizer.state())) as ReturnType<typeof detokenizer.state>;
        detokenizer = IncrementalDetokenizer.resume(tokenizer, state, skip);
        return delta;
      });
      expect({ ids, prompt, own }).toEqual({ ids, prompt, own: deltas });
    }
    expect(decode.filter(({ deltas }) => deltas).length).toBeGreaterThan(3);
  });
});

describe('pieces of a tokenizer.json', () => {
  it('refuses what it cannot do exactly, by name', () => {
    const split = (pattern: string): object => ({
      type: 'Split',
      pattern: { Regex: pattern },
      behavior: 'Isolated',
      invert: false,
    });
    const refused: Array<[parts: Record<string, unknown>, message: string]> = [
      [{ pre_tokenizer: split('\\p{L') }, 'pattern "\\\\p{L" can\'t be used'],
      [{ pre_tokenizer: { ...split('a'), behavior: 'Sideways' } }, '"sideways"'],
      [{ pre_tokenizer: { type: 'BertPreTokenizer' } }, '"BertPreTokenizer"'],
      [{ normalizer: { type: 'Nonsense' } }, 'normalizer'],
      [{ decoder: { type: 'WordPiece' } }, '"WordPiece"'],
      [{ model: { type: 'WordPiece', vocab: { a: 0 } } }, '"WordPiece"'],
      [{ model: { type: 'BPE', vocab: null, merges: [] } }, 'no vocabulary'],
      [{ model: null }, 'no model'],
    ];
    for (const [parts, message] of refused) {
      expect(() => createTokenizer(changed('gpt2', parts)), message).toThrow(message);
    }
  });

  it('leaves out what goes around a text when asked', () => {
    const tokenizer = load('llama3');
    const [bos, ...rest] = tokenizer.encode('Hello', true);
    expect(tokenizer.idToToken(bos!)).toBe('<s>');
    expect(tokenizer.encode('Hello', false)).toEqual(rest);
    expect(tokenizer.encodeWithOffsets('Hello', true).offsets[0]).toEqual([0, 0]);
  });

  it('takes a text with half a surrogate pair as U+FFFD', () => {
    for (const name of ['smollm', 'llama2', 'qwen2']) {
      const tokenizer = load(name);
      expect(tokenizer.encode('a\ud83c b', false)).toEqual(tokenizer.encode('a\ufffd b', false));
    }
  });

  it('writes what no merge knows as bytes, and reads it again', () => {
    const everything = Array.from({ length: 0x2580 }, (_, code) => String.fromCharCode(code)).join('');
    for (const name of ['gpt2', 'smollm', 'llama3', 'o200k', 'deepseek', 'gemma']) {
      const tokenizer = load(name);
      expect(tokenizer.decode(tokenizer.encode(everything, false), false) === everything, name).toBe(true);
    }
  });

  it('sees the special tokens of tokenizer_config.json too', () => {
    const { tokenizer } = spec(families.gpt2!.tokenizer);
    const config = {
      added_tokens_decoder: { 600: { content: '<|tool|>', special: true } },
      eos_token: { content: '<|tool|>' },
    };
    const own = createTokenizer({ tokenizer, config });
    expect(own.encode('a<|tool|>', false)).toEqual([...own.encode('a', false), 600]);
    expect(own.decode([600], true)).toBe('');
    expect(own.vocabSize).toBe(601);
  });
});
