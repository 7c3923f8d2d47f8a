import { Tokenizer } from '@huggingface/tokenizers';
import { describe, expect, it } from 'vitest';
import { tinyMetadata } from '../../../scripts/make-tiny-model.js';
import type { TokenizerSpec } from '../index.js';
import type { WritableValue } from './gguf-writer.js';
import { Metadata, type MetadataValue } from './metadata.js';
import { tokenizerSpec } from './tokenizer-spec.js';

const spec = (changes: Record<string, WritableValue | undefined> = {}): TokenizerSpec | null =>
  tokenizerSpec(
    new Metadata('a.gguf', { ...tinyMetadata(), ...changes } as Record<string, MetadataValue>),
    320,
  );

function tokenizer(changes: Record<string, WritableValue | undefined> = {}): Tokenizer {
  const { tokenizer: content, config } = spec(changes)!;
  return new Tokenizer(content, config);
}

const tokens = tinyMetadata()['tokenizer.ggml.tokens'] as string[];
const pieces = (subject: Tokenizer, text: string): string[] =>
  subject.encode(text).ids.map((id: number) => tokens[id]!);

describe('tokenizerSpec', () => {
  it('merges as the file says', () => {
    expect(pieces(tokenizer(), 'the cat and the inn')).toEqual([
      ...['t', 'he', 'Ġc', 'at', 'Ġand', 'Ġthe', 'Ġin', 'n'],
    ]);
  });

  it.each(['plain words', 'naïve 東京 🙂', ' \t\n  x', 'a<|im_start|>b', '1234 56'])(
    'gives %j back',
    (text) => {
      const subject = tokenizer();
      expect(subject.decode(subject.encode(text).ids)).toBe(text);
    },
  );

  it('takes control tokens whole and calls them special', () => {
    const subject = tokenizer();
    expect(subject.encode('<|im_start|>a<|im_end|>').ids).toEqual([1, tokens.indexOf('a'), 2]);
    expect(subject.decode([1, tokens.indexOf('a'), 2], { skip_special_tokens: true })).toBe('a');
  });

  it('takes user-defined tokens whole without calling them special', () => {
    const types = tokens.map((_, id) => (id < 3 ? 3 : tokens[id] === 'Ġand' ? 4 : 1));
    const { tokenizer: content } = spec({ 'tokenizer.ggml.token_type': types })!;
    expect(content.added_tokens).toMatchObject([
      { id: 0, special: true },
      { id: 1, special: true },
      { id: 2, special: true },
      { content: 'Ġand', special: false },
    ]);
  });

  it.each([
    ['smollm', ['1', '2', '3', '4', 'Ġ', '5']],
    ['gpt-2', ['1234', 'Ġ5']],
    ['qwen2', ['1', '2', '3', '4', 'Ġ', '5']],
    ['llama-bpe', ['123', '4', 'Ġ', '5']],
  ])('cuts digits as %s does', (pre, expected) => {
    const digits = { ...tinyMetadata() };
    const merges = ['1 2', '12 3', '123 4', 'Ġ 5'];
    const grown = [...tokens.slice(0, 316), ...merges.map((merge) => merge.replace(' ', ''))];
    const subject = tokenizer({
      ...digits,
      'tokenizer.ggml.pre': pre,
      'tokenizer.ggml.tokens': grown,
      'tokenizer.ggml.merges': merges,
      'tokenizer.ggml.add_bos_token': false,
    });
    expect(subject.encode('1234 5').ids.map((id: number) => grown[id])).toEqual(expected);
  });

  it('puts BOS in front when the file asks for it, and by default for llama-bpe', () => {
    const a = tokens.indexOf('a');
    const encoded = (changes: Record<string, WritableValue | undefined>): number[] =>
      tokenizer(changes).encode('a').ids;
    expect(encoded({})).toEqual([a]);
    expect(encoded({ 'tokenizer.ggml.add_bos_token': true })).toEqual([1, a]);
    expect(encoded({ 'tokenizer.ggml.add_bos_token': undefined })).toEqual([a]);
    expect(encoded({ 'tokenizer.ggml.add_bos_token': undefined, 'tokenizer.ggml.pre': 'llama-bpe' })).toEqual(
      [1, a],
    );
    expect(encoded({ 'tokenizer.ggml.add_eos_token': true })).toEqual([a, 2]);
    expect(
      tokenizer({ 'tokenizer.ggml.add_bos_token': true }).encode('a', { add_special_tokens: false }).ids,
    ).toEqual([a]);
  });

  it('names the special tokens', () => {
    expect(spec()!.config).toMatchObject({
      bos_token: '<|im_start|>',
      eos_token: '<|im_end|>',
      unk_token: '<|endoftext|>',
      pad_token: '<|im_end|>',
    });
  });

  it('is null for a file without a tokenizer', () => {
    expect(spec({ 'tokenizer.ggml.model': undefined })).toBeNull();
    expect(spec({ 'tokenizer.ggml.model': 'no_vocab' })).toBeNull();
  });

  it.each([
    ['tokenizer.ggml.merges', undefined, /no metadata key tokenizer\.ggml\.merges/],
    ['tokenizer.ggml.merges', [1, 2], /tokenizer\.ggml\.merges is not a list of strings/],
    ['tokenizer.ggml.tokens', 'abc', /tokenizer\.ggml\.tokens is not a list of strings/],
    ['tokenizer.ggml.token_type', undefined, /no metadata key tokenizer\.ggml\.token_type/],
  ] as Array<[string, WritableValue | undefined, RegExp]>)('refuses %s = %j', (key, value, message) => {
    expect(() => spec({ [key]: value })).toThrow(message);
  });
});
