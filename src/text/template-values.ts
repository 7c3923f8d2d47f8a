import { isLosslessNumber } from 'lossless-json';
import { Environment, type TemplateDict, type TemplateKey, type TemplateValue } from './jinja-engine.js';
import { pythonFloat } from './python-numbers.js';

/** The engine keeps the classes of its values to itself; each is reached through a value of its kind. */
function classOf<T>(sample: unknown): new (value: T) => TemplateValue {
  return new Environment().set('sample', sample).constructor as new (
    value: T,
  ) => TemplateValue;
}

const IntegerValue = classOf<number>(1);
const FloatValue = classOf<number>(0.5);
const BooleanValue = classOf<boolean>(true);
export const StringValue = classOf<string>('');
export const ArrayValue = classOf<TemplateValue[]>([]);
export const FunctionValue = classOf<(args: TemplateValue[]) => TemplateValue>(() => null);

/** What the engine has in its dicts beside the fields of every value. */
interface EngineDict extends TemplateDict {
  /** Methods by name. */
  readonly builtins: Map<string, TemplateValue>;
  items(): TemplateValue;
  keys(): TemplateValue;
}

export const ObjectValue = classOf({}) as unknown as new (
  value: Map<TemplateKey, TemplateValue>,
) => EngineDict;

/**
 * JSON data as values of the template engine. Numbers that were read by lossless-json stay what Python would make
 * of them: `1.0` a float, `1` an integer, large integers to the last digit. Objects may be Maps, which keep the
 * order of keys that look like integers; keys with the value undefined are left out.
 */
export function templateValue(data: unknown): TemplateValue {
  if (typeof data === 'string') return new StringValue(data);
  if (typeof data === 'boolean') return new BooleanValue(data);
  if (isLosslessNumber(data)) return numberValue(data.value);
  if (typeof data === 'bigint') return integerValue(data);
  if (Array.isArray(data)) return new ArrayValue(data.map(templateValue));
  if (typeof data === 'object' && data !== null) {
    const entries = data instanceof Map ? [...data] : Object.entries(data);
    const present = entries.filter(([, value]) => value !== undefined);
    return new ObjectValue(new Map(present.map(([key, value]) => [String(key), templateValue(value)])));
  }
  return new Environment().set('value', data);
}

function numberValue(spelling: string): TemplateValue {
  if (/^-?\d+$/.test(spelling)) return integerValue(BigInt(spelling));
  const number = Number(spelling);
  return printedAs(new FloatValue(number), pythonFloat(number));
}

function integerValue(integer: bigint): TemplateValue {
  return printedAs(new IntegerValue(Number(integer)), String(integer));
}

function printedAs(value: TemplateValue, text: string): TemplateValue {
  return Object.assign(value, { toString: () => text });
}
