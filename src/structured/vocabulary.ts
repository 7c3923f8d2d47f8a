import type { ModelConfig } from '../model/index.js';
import type { GrammarVocabulary } from './index.js';

/** The entries of a vocabulary by id, as `spell` writes them in the byte alphabet; no grammar allows an empty one. */
export function grammarVocabulary(
  spell: (id: number) => string,
  { vocabSize, eosIds }: Pick<ModelConfig, 'vocabSize' | 'eosIds'>,
): GrammarVocabulary {
  return { tokens: Array.from({ length: vocabSize }, (_, id) => spell(id)), endIds: eosIds };
}
