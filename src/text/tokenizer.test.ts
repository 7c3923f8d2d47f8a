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
    for (const { text, ids } of encode) expect({ text, ids: tokenizer.encode(text, true) }).toEqual({ text, ids });
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
