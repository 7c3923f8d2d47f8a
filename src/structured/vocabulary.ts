import type { ModelConfig } from '../model/index.js';
import type { GrammarVocabulary } from './index.js';

/**
 * The entries of a vocabulary by id, as `spell` writes them in the byte alphabet; no grammar allows an empty one. Spelled
 * when they are first asked for: it takes a fifth of a second, and most servers never see a grammar.
 */
export function grammarVocabulary(
  spell: (id: number) => string,
  { vocabSize, eosIds }: Pick<ModelConfig, 'vocabSize' | 'eosIds'>,
): () => GrammarVocabulary {
  let spelled: GrammarVocabulary | null = null;
  return () => {
    spelled ??= { tokens: Array.from({ length: vocabSize }, (_, id) => spell(id)), endIds: eosIds };
    return spelled;
  };
}
