import type { TemplateKey, TemplateValue } from './jinja-engine.js';
import { pythonFloat } from './python-numbers.js';
import { keyValue } from './template-dicts.js';
import { orderOf } from './template-operators.js';

/** The keyword arguments of Python's `json.dumps` that templates can give. */
export interface JsonStyle {
  /** Write characters above U+007E as `\uXXXX`. */
  ensureAscii: boolean;
  /** What each level is indented by; null = everything on one line. */
  indent: string | null;
  /** Between items, and between a key and its value. */
  separators: readonly [item: string, key: string] | null;
  sortKeys: boolean;
}

export const PLAIN_STYLE: JsonStyle = { ensureAscii: false, indent: null, separators: null, sortKeys: false };

/** Write a value byte for byte as Python's `json.dumps` would. Throws for what Python can't write. */
export function pythonJson(value: TemplateValue, style: JsonStyle, depth = 0): string {
  const nested = (inner: TemplateValue): string => pythonJson(inner, style, depth + 1);
  switch (value.type) {
    case 'StringValue':
      return jsonString(value.value, style.ensureAscii);
    case 'IntegerValue':
      return value.toString();
    case 'FloatValue':
      return pythonFloat(value.value);
    case 'BooleanValue':
      return String(value.value);
    case 'NullValue':
      return 'null';
    case 'ArrayValue':
    case 'TupleValue':
      return enclose('[', value.value.map(nested), ']', style, depth);
    case 'ObjectValue': {
      const [, separator] = separatorsOf(style);
      const items = entriesOf(value.value, style.sortKeys).map(
        ([key, inner]) => `${jsonString(String(key), style.ensureAscii)}${separator}${nested(inner)}`,
      );
      return enclose('{', items, '}', style, depth);
    }
    default:
      throw new TypeError(`Object of type ${value.type.replace(/Value$/, '')} is not JSON serializable`);
  }
}

function enclose(
  open: string,
  items: readonly string[],
  close: string,
  style: JsonStyle,
  depth: number,
): string {
  if (items.length === 0) return open + close;
  const [itemSeparator] = separatorsOf(style);
  if (style.indent === null) return open + items.join(itemSeparator) + close;
  const outer = `\n${style.indent.repeat(depth)}`;
  const inner = outer + style.indent;
  return `${open}${inner}${items.join(itemSeparator + inner)}${outer}${close}`;
}

function separatorsOf({ separators, indent }: JsonStyle): readonly [string, string] {
  return separators ?? [indent === null ? ', ' : ',', ': '];
}

function entriesOf(
  object: ReadonlyMap<TemplateKey, TemplateValue>,
  sort: boolean,
): Array<[TemplateKey, TemplateValue]> {
  const entries = [...object];
  return sort ? entries.sort(([a], [b]) => orderOf(keyValue(a), keyValue(b))) : entries;
}

function jsonString(text: string, ensureAscii: boolean): string {
  const quoted = JSON.stringify(text);
  if (!ensureAscii) return quoted;
  return quoted.replace(/[\x7f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
