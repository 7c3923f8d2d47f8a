import type { TemplateKey, TemplateValue } from './jinja-engine.js';

/** What Python calls the types of values in its errors. */
const TYPE_NAMES: Readonly<Record<TemplateValue['type'], string>> = {
  StringValue: 'str',
  IntegerValue: 'int',
  FloatValue: 'float',
  BooleanValue: 'bool',
  NullValue: 'NoneType',
  UndefinedValue: 'Undefined',
  ArrayValue: 'list',
  TupleValue: 'tuple',
  ObjectValue: 'dict',
  NamespaceValue: 'Namespace',
  KeywordArgumentsValue: 'dict',
  FunctionValue: 'function',
};

/**
 * What a comparison says, where the engine compares as JavaScript does or not at all; null = the operator and the
 * operands are the engine's. Throws for a text added to something else.
 */
export function compared(operator: string, left: TemplateValue, right: TemplateValue): boolean | null {
  switch (operator) {
    case '==':
      return areEqual(left, right);
    case '!=':
      return !areEqual(left, right);
    case 'in':
      return isMember(left, right);
    case 'not in': {
      const found = isMember(left, right);
      return found === null ? null : !found;
    }
    case '+':
      checkJoin(left, right);
      return null;
    default:
      return left.type === 'StringValue' && right.type === 'StringValue'
        ? ordered(operator, left.value, right.value)
        : null;
  }
}

/** Numbers and truth values by value, texts by text, lists and dicts by what they hold; nothing across these kinds. */
export function areEqual(left: TemplateValue, right: TemplateValue): boolean {
  const [a, b] = [numberOf(left), numberOf(right)];
  if (a !== null || b !== null) return a === b;
  if (left.type !== right.type) return false;
  switch (left.type) {
    case 'NullValue':
    case 'UndefinedValue':
      return true;
    case 'ArrayValue':
    case 'TupleValue': {
      const other = right.value as TemplateValue[];
      return left.value.length === other.length && left.value.every((item, at) => areEqual(item, other[at]!));
    }
    case 'ObjectValue': {
      const other = right.value as Map<TemplateKey, TemplateValue>;
      return (
        left.value.size === other.size && [...left.value].every(([key, value]) => isAt(other, key, value))
      );
    }
    default:
      return left.value === right.value;
  }
}

function isAt(map: ReadonlyMap<TemplateKey, TemplateValue>, key: TemplateKey, value: TemplateValue): boolean {
  const found = map.get(key);
  return found !== undefined && areEqual(value, found);
}

/** Whether a list or a dict holds a value; null where the right side is neither. */
export function isMember(left: TemplateValue, right: TemplateValue): boolean | null {
  switch (right.type) {
    case 'ArrayValue':
    case 'TupleValue':
      return right.value.some((item) => areEqual(item, left));
    case 'ObjectValue': {
      const key = keyOf(left);
      return key !== null && right.value.has(key);
    }
    default:
      return null;
  }
}

/** The key that a value is in a dict, where equal numbers are the same; null = no key. */
export function keyOf(value: TemplateValue): TemplateKey | null {
  return value.type === 'StringValue' ? value.value : numberOf(value);
}

/** Below zero where the left of two texts or numbers comes first in Python. Throws for anything else. */
export function orderOf(left: TemplateValue, right: TemplateValue): number {
  if (left.type === 'StringValue' && right.type === 'StringValue') {
    return byCodePoints(left.value, right.value);
  }
  const [a, b] = [numberOf(left), numberOf(right)];
  if (a !== null && b !== null) return a - b;
  const types = `'${TYPE_NAMES[left.type]}' and '${TYPE_NAMES[right.type]}'`;
  throw new TypeError(`'<' not supported between instances of ${types}`);
}

function numberOf({ type, value }: TemplateValue): number | null {
  const isNumber = type === 'IntegerValue' || type === 'FloatValue' || type === 'BooleanValue';
  return isNumber ? Number(value) : null;
}

function checkJoin(left: TemplateValue, right: TemplateValue): void {
  const isText = (value: TemplateValue): boolean => value.type === 'StringValue';
  if (isText(left) === isText(right)) return;
  if (isText(left)) throw new TypeError(`can only concatenate str (not "${TYPE_NAMES[right.type]}") to str`);
  throw new TypeError(`unsupported operand types for +: '${TYPE_NAMES[left.type]}' and 'str'`);
}

/** As Python orders texts. */
function byCodePoints(left: string, right: string): number {
  return Buffer.compare(Buffer.from(left, 'utf8'), Buffer.from(right, 'utf8'));
}

function ordered(operator: string, left: string, right: string): boolean | null {
  const order = byCodePoints(left, right);
  switch (operator) {
    case '<':
      return order < 0;
    case '<=':
      return order <= 0;
    case '>':
      return order > 0;
    case '>=':
      return order >= 0;
    default:
      return null;
  }
}

/** The longest text that `*` makes. */
const LONGEST_REPEAT = 100_000;

/** A text several times. Throws for more than `LONGEST_REPEAT` characters. */
export function repeated(text: string, times: number): string {
  if (text.length * times > LONGEST_REPEAT) {
    throw new RangeError(`Text too long: * makes at most ${LONGEST_REPEAT} characters`);
  }
  return text.repeat(Math.max(0, times));
}
