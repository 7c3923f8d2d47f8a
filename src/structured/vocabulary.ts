import type { ModelConfig, TokenizerSpec } from '../model/index.js';
import type { GrammarVocabulary } from './index.js';

interface ByteLevelSpec {
  model: { vocab: Record<string, number> };
  added_tokens?: Array<{ id: number; content: string }>;
}

/** The entries of a byte-level vocabulary by id; ids without an entry get an empty one, which no grammar allows. */
export function grammarVocabulary(
  { tokenizer }: TokenizerSpec,
  { vocabSize, eosIds }: Pick<ModelConfig, 'vocabSize' | 'eosIds'>,
): GrammarVocabulary {
  const { model, added_tokens = [] } = tokenizer as unknown as ByteLevelSpec;
  const tokens = new Array<string>(vocabSize).fill('');
  for (const [token, id] of Object.entries(model.vocab)) tokens[id] = token;
  for (const { id, content } of added_tokens) tokens[id] = content;
  return { tokens, endIds: eosIds };
}
