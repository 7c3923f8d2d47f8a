import { pythonFloat } from '../../../text/python-numbers.js';

const NAMES: Readonly<Record<string, string>> = {
  None: 'null',
  True: 'true',
  False: 'false',
  null: 'null',
  true: 'true',
  false: 'false',
};

const INTEGER = /^(?:0(?:_?0)*|[1-9](?:_?\d)*|0[xX](?:_?[\da-fA-F])+|0[oO](?:_?[0-7])+|0[bB](?:_?[01])+)$/;
const DIGITS = '\\d(?:_?\\d)*';
const FLOAT = new RegExp(
  `^(?:${DIGITS}\\.(?:${DIGITS})?|\\.${DIGITS}|${DIGITS}(?=[eE]))(?:[eE][+-]?${DIGITS})?$`,
);

/**
 * A literal of Python that is one word, in JSON as `json.dumps` writes it: numbers, and Python's or JSON's names of true,
 * false and nothing. Null for what is no such word (language reference, section 2.4).
 */
export function literalJson(word: string): string | null {
  if (Object.hasOwn(NAMES, word)) return NAMES[word]!;
  const [, sign, digits] = /^([+-]*)(.*)$/.exec(word)!;
  const isNegative = sign!.replaceAll('+', '').length % 2 === 1;
  const plain = digits!.replaceAll('_', '');
  if (INTEGER.test(digits!)) {
    const value = BigInt(plain);
    return String(isNegative ? -value : value);
  }
  return FLOAT.test(digits!) ? pythonFloat(isNegative ? -Number(plain) : Number(plain)) : null;
}
