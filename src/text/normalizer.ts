import { StartupError } from '../errors.js';
import { CharacterMap } from './character-map.js';
import { SequenceNormalizer } from './huggingface.js';
import { sentencePieceNormalizer } from './sentencepiece-normalizer.js';

type Json = Readonly<Record<string, unknown>>;

/** Changes text before it is cut, such as to NFC. */
export type Normalizer = (text: string) => string;

/** The normaliser that a tokenizer.json describes; null when it has none. Throws a StartupError for an unknown kind. */
export function normalizer(config: Json | null): Normalizer | null {
  if (!config) return null;
  try {
    const steps = flatten(config).map(step);
    return (text) => steps.reduce((changed, change) => change(changed), text);
  } catch (error) {
    throw new StartupError(`The tokenizer's normalizer can't be used: ${(error as Error).message}`);
  }
}

function flatten(config: Json): Json[] {
  return config.type === 'Sequence' ? (config.normalizers as Json[]).flatMap(flatten) : [config];
}

function step(config: Json): Normalizer {
  if (config.type === 'SentencePiece') return sentencePieceNormalizer(config);
  if (config.type === 'Precompiled') {
    const table = config.precompiled_charsmap;
    if (typeof table !== 'string' || table === '') return (text) => text;
    const map = new CharacterMap(Buffer.from(table, 'base64'));
    return (text) => map.apply(text);
  }
  const steps = new SequenceNormalizer({ normalizers: [config] });
  return (text) => steps.normalize(text);
}
