/** A shape that the output must have, checked to be exactly one. */
export type StructuredOutput =
  | { kind: 'json'; schema: string; anyWhitespace: boolean }
  | { kind: 'json_object'; anyWhitespace: boolean }
  | { kind: 'regex'; pattern: string }
  | { kind: 'choice'; choices: readonly string[] }
  | { kind: 'grammar'; grammar: string }
  | { kind: 'structural_tag'; spec: string };

/** What grammars are matched against: the vocabulary's entries by id, in the byte alphabet, and the ids that end. */
export interface GrammarVocabulary {
  tokens: readonly string[];
  endIds: readonly number[];
}
