import { pythonFloat } from '../../../text/python-numbers.js';
import { strip } from '../python-space.js';
import { jsonText } from './json-text.js';
import { respelled } from './respelled-json.js';
import { TYPES, type Types } from './schema-types.js';

/** Digits of the longest integer that the reference reads. */
const LONGEST_INTEGER = 4300;

/**
 * JSON of an argument that was written as plain text: the first of its types that the text can be read as. Text of
 * no type that it should have is read as JSON, and stays text when it is not. `types` null = text.
 */
export function typedValue(text: string, types: Types | null): string {
  if (types === null) return jsonText(text);
  for (const type of TYPES) {
    const json = types.has(type) ? READERS[type](text) : null;
    if (json !== null) return json;
  }
  return respelled(text) ?? jsonText(text);
}

type Reader = (text: string) => string | null;

const READERS: Readonly<Record<(typeof TYPES)[number], Reader>> = {
  null: (text) => (text.toLowerCase() === 'null' ? 'null' : null),
  integer: (text) => {
    const digits = strip(text);
    if (digits.length > LONGEST_INTEGER || !/^[+-]?\d+(_\d+)*$/.test(digits)) return null;
    return String(BigInt(digits.replace(/[+_]/g, '')));
  },
  number: (text) => {
    const spelled = strip(text);
    if (!/^[+-]?(\d+(_\d+)*(\.(\d+(_\d+)*)?)?|\.\d+(_\d+)*)([eE][+-]?\d+(_\d+)*)?$/.test(spelled))
      return null;
    const value = Number(spelled.replaceAll('_', ''));
    if (!Number.isFinite(value)) return null;
    return Number.isInteger(value) ? String(BigInt(value)) : pythonFloat(value);
  },
  boolean: (text) => {
    const word = strip(text.toLowerCase());
    if (word === 'true' || word === '1') return 'true';
    return word === 'false' || word === '0' ? 'false' : null;
  },
  object: respelled,
  array: respelled,
  string: jsonText,
};
