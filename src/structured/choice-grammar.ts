const ESCAPES: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  '"': '\\"',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
};

/** An EBNF grammar of exactly these texts. */
export function choiceGrammar(choices: readonly string[]): string {
  return `root ::= ${choices.map((choice) => `"${escaped(choice)}"`).join(' | ')}`;
}

function escaped(text: string): string {
  return Array.from(text, (character) => {
    const code = character.codePointAt(0)!;
    const isControl = code < 0x20 || code === 0x7f;
    return ESCAPES[character] ?? (isControl ? `\\u${code.toString(16).padStart(4, '0')}` : character);
  }).join('');
}
