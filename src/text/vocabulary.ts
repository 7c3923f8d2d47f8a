import { StartupError } from '../errors.js';

type Json = Readonly<Record<string, unknown>>;

/** Token to id, without added tokens. Throws a StartupError when the model has no vocabulary. */
export function readVocabulary(model: Json): Map<string, number> {
  const { vocab } = model;
  if (Array.isArray(vocab)) return new Map(vocab.map(([token]: [string], id) => [token, id]));
  if (vocab !== null && typeof vocab === 'object') {
    return new Map(Object.entries(vocab as Record<string, number>));
  }
  throw new StartupError('The tokenizer has no vocabulary.');
}

/** The id that a model writes for what its vocabulary lacks. */
export function unknownId(model: Json, vocabulary: ReadonlyMap<string, number>): number | undefined {
  if (typeof model.unk_id === 'number') return model.unk_id;
  return typeof model.unk_token === 'string' ? vocabulary.get(model.unk_token) : undefined;
}
