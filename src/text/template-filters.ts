import type { Scope, TemplateValue } from './jinja-engine.js';
import { areEqual, isMember } from './template-operators.js';
import { ArrayValue } from './template-values.js';

/** A filter by name: its value for one operand. */
export type ApplyFilter = (
  operand: TemplateValue,
  name: string,
  args: readonly TemplateValue[],
) => TemplateValue;

/** Filters of lists; what is not there, or empty, is a list without items for them. */
export const LIST_FILTERS: ReadonlySet<string> = new Set([
  'select',
  'reject',
  'selectattr',
  'rejectattr',
  'map',
]);

/** Tests that compare with a value, under all their names. */
const COMPARISONS: Readonly<Record<string, (value: TemplateValue, other: TemplateValue) => boolean>> = {
  '==': areEqual,
  eq: areEqual,
  equalto: areEqual,
  '!=': (value, other) => !areEqual(value, other),
  ne: (value, other) => !areEqual(value, other),
  in: (value, other) => isMember(value, other) === true,
};

/** Whether a filter of lists has nothing to go through. */
export function isNothing(value: TemplateValue): boolean {
  return value.type === 'UndefinedValue' || !value.__bool__().value;
}

/** The items that pass a test (`select`), or don't (`reject`); without a test the true ones. */
export function selected(
  items: readonly TemplateValue[],
  [test, other]: readonly TemplateValue[],
  keep: boolean,
  scope: Scope,
): TemplateValue {
  const passes = test
    ? testNamed(String(test.value), scope)
    : (value: TemplateValue) => value.__bool__().value;
  return new ArrayValue(items.filter((item) => passes(item, other) === keep));
}

/** Every item through the filter that the first argument names (`map`). */
export function mapped(
  items: readonly TemplateValue[],
  [filter, ...args]: readonly TemplateValue[],
  apply: ApplyFilter,
): TemplateValue {
  return new ArrayValue(items.map((item) => apply(item, String(filter?.value), args)));
}

function testNamed(name: string, { tests }: Scope): (value: TemplateValue, other?: TemplateValue) => boolean {
  const comparison = COMPARISONS[name];
  const test = comparison ?? tests.get(name);
  if (!test) throw new SyntaxError(`Unknown test: ${name}`);
  return test as (value: TemplateValue, other?: TemplateValue) => boolean;
}
