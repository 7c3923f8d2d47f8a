import type { TemplateValue } from './jinja-engine.js';
import { pythonFloat } from './python-numbers.js';

/** A value as Python's `str()` writes it, which is how Jinja prints: `True`, `None`, `{'a': [1.0]}`; undefined is empty. */
export function pythonText(value: TemplateValue): string {
  if (value.type === 'StringValue') return value.value;
  return value.type === 'UndefinedValue' ? '' : pythonRepr(value);
}

function pythonRepr(value: TemplateValue): string {
  switch (value.type) {
    case 'StringValue':
      return quoted(value.value);
    case 'FloatValue':
      return Number.isFinite(value.value) ? pythonFloat(value.value) : nonFinite(value.value);
    case 'BooleanValue':
      return value.value ? 'True' : 'False';
    case 'NullValue':
      return 'None';
    case 'UndefinedValue':
      return 'Undefined';
    case 'ArrayValue':
      return `[${value.value.map(pythonRepr).join(', ')}]`;
    case 'TupleValue':
      return `(${value.value.map(pythonRepr).join(', ')})`;
    case 'ObjectValue':
      return `{${[...value.value].map(([key, item]) => `${typeof key === 'number' ? key : quoted(key)}: ${pythonRepr(item)}`).join(', ')}}`;
    default:
      return value.toString();
  }
}

function nonFinite(value: number): string {
  if (Number.isNaN(value)) return 'nan';
  return value > 0 ? 'inf' : '-inf';
}

const SHORT_ESCAPES: Readonly<Record<string, string>> = {
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\\': '\\\\',
};

/** In single quotes, unless only double quotes need no escaping; what can't be seen is escaped. */
function quoted(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const escaped = text.replace(/[\p{C}\p{Z}\\]/gu, (character) =>
    character === ' ' ? ' ' : (SHORT_ESCAPES[character] ?? numericEscape(character)),
  );
  return quote + (quote === "'" ? escaped.replaceAll("'", "\\'") : escaped) + quote;
}

function numericEscape(character: string): string {
  const code = character.codePointAt(0)!;
  const hex = code.toString(16);
  if (code < 0x100) return `\\x${hex.padStart(2, '0')}`;
  return code < 0x10000 ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`;
}
