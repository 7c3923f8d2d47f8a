import { filterArguments } from './filter-arguments.js';
import type { TemplateNode, TemplateValue } from './jinja-engine.js';
import { type JsonStyle, PLAIN_STYLE } from './python-json.js';

const OPTIONS = ['ensure_ascii', 'indent', 'separators', 'sort_keys'] as const;
type Option = (typeof OPTIONS)[number];

/** The arguments of a `tojson` filter, by position or by name. Throws for a name that it doesn't have. */
export function jsonArguments(
  nodes: readonly TemplateNode[],
  evaluate: (node: TemplateNode) => TemplateValue,
): Map<Option, TemplateValue> {
  return filterArguments('tojson', OPTIONS, nodes, evaluate);
}

/** What the arguments mean. Throws for a value of the wrong kind. */
export function jsonStyle(options: ReadonlyMap<Option, TemplateValue>): JsonStyle {
  const isTrue = (name: Option): boolean => options.get(name)?.__bool__().value ?? false;
  return {
    ...PLAIN_STYLE,
    ensureAscii: isTrue('ensure_ascii'),
    sortKeys: isTrue('sort_keys'),
    indent: indentOf(options.get('indent')),
    separators: separatorsOf(options.get('separators')),
  };
}

function indentOf(value: TemplateValue | undefined): string | null {
  switch (value?.type) {
    case undefined:
    case 'NullValue':
      return null;
    case 'StringValue':
      return value.value;
    case 'IntegerValue':
      return ' '.repeat(Math.max(0, value.value));
    default:
      throw new TypeError('indent must be an integer or a string');
  }
}

function separatorsOf(value: TemplateValue | undefined): readonly [string, string] | null {
  if (value === undefined || value.type === 'NullValue') return null;
  const parts = value.type === 'TupleValue' || value.type === 'ArrayValue' ? value.value : [];
  const [item, key] = parts;
  if (parts.length !== 2 || item?.type !== 'StringValue' || key?.type !== 'StringValue') {
    throw new TypeError('separators must be two strings');
  }
  return [item.value, key.value];
}
