import { StartupError } from '../errors.js';
import { bytesOfToken } from './byte-level.js';
import { encodeUtf8 } from './utf8.js';

type Json = Readonly<Record<string, unknown>>;

/** How the entries of a vocabulary become bytes of text. */
export interface TokenSpelling {
  /** The bytes of an entry that is not an added token. */
  bytes(token: string): Uint8Array;
  /** The bytes of an added token: plain text in byte-level vocabularies, spelled as the others elsewhere. */
  addedBytes(token: string): Uint8Array;
  /** Spaces that go when the text begins with them: they were put there by encoding. */
  leadingSpaces: number;
}

const BYTE_TOKEN = /^<0x([0-9A-Fa-f]{2})>$/;

/**
 * The spelling that the decoder of a tokenizer.json describes: the byte alphabet, or a marker for spaces (▁) with
 * or without byte tokens (`<0x0A>`). Throws a StartupError for other kinds, which glue tokens by rules of words.
 */
export function tokenSpelling(decoder: Json | null): TokenSpelling {
  const steps = flatten(decoder);
  if (steps.some(({ type }) => type === 'ByteLevel')) {
    return { bytes: bytesOfToken, addedBytes: encodeUtf8, leadingSpaces: 0 };
  }
  const marker = steps.map(markerOf).find((found) => found !== null);
  const unknown = steps.find(({ type }) => !SPACE_STEPS.includes(type));
  if (marker === undefined || unknown) {
    throw new StartupError(
      `The tokenizer's decoder ${JSON.stringify(unknown?.type ?? decoder?.type ?? null)} is not supported. ` +
        'Start with --skip-tokenizer-init to serve token ids alone.',
    );
  }
  const hasByteTokens = steps.some(({ type }) => type === 'ByteFallback');
  const bytes = (token: string): Uint8Array => {
    const byte = hasByteTokens ? BYTE_TOKEN.exec(token) : null;
    return byte ? Uint8Array.of(Number.parseInt(byte[1]!, 16)) : encodeUtf8(token.replaceAll(marker, ' '));
  };
  return { bytes, addedBytes: bytes, leadingSpaces: Math.max(0, ...steps.map(leadingSpaces)) };
}

const SPACE_STEPS: readonly unknown[] = ['Replace', 'ByteFallback', 'Fuse', 'Strip', 'Metaspace'];

function flatten(decoder: Json | null): Json[] {
  if (!decoder) return [];
  return decoder.type === 'Sequence' ? (decoder.decoders as Json[]).flatMap(flatten) : [decoder];
}

function markerOf(step: Json): string | null {
  if (step.type === 'Metaspace') return String(step.replacement ?? '▁');
  const pattern = step.pattern as Json | undefined;
  return step.type === 'Replace' && step.content === ' ' && typeof pattern?.String === 'string'
    ? pattern.String
    : null;
}

function leadingSpaces(step: Json): number {
  if (step.type === 'Strip' && step.content === ' ') return Number(step.start ?? 0);
  const scheme = step.prepend_scheme ?? (step.add_prefix_space === false ? 'never' : 'always');
  return step.type === 'Metaspace' && scheme !== 'never' ? 1 : 0;
}
