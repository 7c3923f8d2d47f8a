import { Tokenizer as Encoder } from '@huggingface/tokenizers';
import { StartupError } from '../errors.js';
import type { TokenizerSpec } from '../model/index.js';
import { bytesOfToken } from './byte-level.js';

/** Text to ids and ids to bytes. */
export interface Tokenizer {
  /** Ids are below this; gaps are possible. */
  readonly vocabSize: number;
  /** `addSpecialTokens` adds what the tokenizer's post-processor adds, such as BOS. */
  encode(text: string, addSpecialTokens: boolean): number[];
  /** The UTF-8 bytes that an id stands for; none outside the vocabulary. */
  bytes(id: number): Uint8Array;
  /** A control token such as EOS: left out of text with `skip_special_tokens`. */
  isSpecial(id: number): boolean;
}

const NO_BYTES = new Uint8Array(0);
const encoder = new TextEncoder();

/** Build a tokenizer; throws a StartupError when its spec can't be used. */
export function createTokenizer({ tokenizer: spec, config }: TokenizerSpec): Tokenizer {
  if (!isByteLevel(spec)) {
    throw new StartupError(
      'This tokenizer is not byte-level BPE, the only kind that this release of tito reads. ' +
        'Start with --skip-tokenizer-init to serve token ids alone.',
    );
  }
  return new ByteLevelTokenizer(buildEncoder(spec, config), addedTokens(spec));
}

class ByteLevelTokenizer implements Tokenizer {
  readonly vocabSize: number;
  readonly #encoder: Encoder;
  readonly #added: ReadonlyMap<number, AddedToken>;
  readonly #tokens: ReadonlyMap<number, string>;
  readonly #bytes = new Map<number, Uint8Array>();

  constructor(tokenizer: Encoder, added: ReadonlyMap<number, AddedToken>) {
    this.#encoder = tokenizer;
    this.#added = added;
    const tokens = new Map<number, string>();
    for (const [token, id] of tokenizer.get_vocab(true)) tokens.set(id, token);
    this.#tokens = tokens;
    this.vocabSize = Math.max(...tokens.keys(), ...added.keys()) + 1;
  }

  encode(text: string, addSpecialTokens: boolean): number[] {
    return this.#encoder.encode(text, { add_special_tokens: addSpecialTokens }).ids;
  }

  bytes(id: number): Uint8Array {
    const known = this.#bytes.get(id);
    if (known) return known;
    const bytes = this.#makeBytes(id);
    this.#bytes.set(id, bytes);
    return bytes;
  }

  isSpecial(id: number): boolean {
    return this.#added.get(id)?.special ?? false;
  }

  #makeBytes(id: number): Uint8Array {
    const added = this.#added.get(id);
    if (added) return encoder.encode(added.content);
    const token = this.#tokens.get(id);
    return token === undefined ? NO_BYTES : bytesOfToken(token);
  }
}

interface AddedToken {
  content: string;
  special: boolean;
}

function addedTokens(spec: Readonly<Record<string, unknown>>): Map<number, AddedToken> {
  const list = (spec.added_tokens ?? []) as Array<AddedToken & { id: number }>;
  return new Map(list.map(({ id, content, special }) => [id, { content, special }]));
}

function isByteLevel(spec: Readonly<Record<string, unknown>>): boolean {
  return JSON.stringify(spec.decoder ?? null).includes('"ByteLevel"');
}

function buildEncoder(
  spec: Readonly<Record<string, unknown>>,
  config: Readonly<Record<string, unknown>>,
): Encoder {
  try {
    return new Encoder(spec, config);
  } catch (error) {
    throw new StartupError(`The tokenizer can't be built: ${(error as Error).message}`);
  }
}
