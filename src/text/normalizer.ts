import { StartupError } from '../errors.js';
import { SequenceNormalizer } from './huggingface.js';

type Json = Readonly<Record<string, unknown>>;

/** Changes text before it is cut, such as to NFC. */
export type Normalizer = (text: string) => string;

/** The normaliser that a tokenizer.json describes; null when it has none. Throws a StartupError for an unknown kind. */
export function normalizer(config: Json | null): Normalizer | null {
  if (!config) return null;
  try {
    const steps = new SequenceNormalizer({ normalizers: [config] });
    return (text) => steps.normalize(text);
  } catch (error) {
    throw new StartupError(`The tokenizer's normalizer can't be used: ${(error as Error).message}`);
  }
}
