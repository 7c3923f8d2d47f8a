import type { TemplateDict, TemplateKey, TemplateValue } from './jinja-engine.js';
import { keyOf, orderOf } from './template-operators.js';
import { ArrayValue, FunctionValue, ObjectValue, StringValue, templateValue } from './template-values.js';

/** A dict whose keys may be integers; the engine's own takes every key for a text. */
class KeyedDict extends ObjectValue {
  override get builtins(): Map<string, TemplateValue> {
    return super.builtins.set('get', new FunctionValue(([key, other]) => this.#get(key, other)));
  }

  override items(): TemplateValue {
    return itemsOf(this);
  }

  override keys(): TemplateValue {
    return new ArrayValue([...this.value.keys()].map(keyValue));
  }

  #get(key: TemplateValue | undefined, other: TemplateValue | undefined): TemplateValue {
    return itemAt(this, key) ?? other ?? templateValue(null);
  }
}

/** A dict that a template writes. Throws for keys that are neither text nor integers. */
export function dictOf(entries: ReadonlyArray<readonly [TemplateValue, TemplateValue]>): TemplateValue {
  const dict = new Map<TemplateKey, TemplateValue>();
  for (const [key, value] of entries) {
    if (key.type !== 'StringValue' && key.type !== 'IntegerValue') {
      throw new TypeError('Keys of a dict can be texts and integers here');
    }
    dict.set(key.value, value);
  }
  return new KeyedDict(dict);
}

/** The value at a key; undefined where there is none. Equal numbers are one key. */
export function itemAt(dict: TemplateDict, key: TemplateValue | undefined): TemplateValue | undefined {
  const at = key ? keyOf(key) : null;
  return at === null ? undefined : dict.value.get(at);
}

/** Keys with their values. */
export function itemsOf(dict: TemplateDict): TemplateValue {
  return pairs([...dict.value]);
}

/** A key as a value. */
export function keyValue(key: TemplateKey): TemplateValue {
  return typeof key === 'string' ? new StringValue(key) : templateValue(key);
}

export const DICTSORT_OPTIONS = ['case_sensitive', 'by', 'reverse'] as const;

/** The `dictsort` filter: items by key or by value. Throws for what has no order in Python. */
export function dictSorted(
  dict: TemplateDict,
  options: ReadonlyMap<(typeof DICTSORT_OPTIONS)[number], TemplateValue>,
): TemplateValue {
  const isTrue = (name: 'case_sensitive' | 'reverse'): boolean =>
    options.get(name)?.__bool__().value ?? false;
  const by = options.get('by')?.value ?? 'key';
  if (by !== 'key' && by !== 'value') throw new TypeError('You can only sort by either "key" or "value"');
  const [keepsCase, sign] = [isTrue('case_sensitive'), isTrue('reverse') ? -1 : 1];
  const sorted = [...dict.value]
    .map((entry) => ({ entry, rank: by === 'key' ? keyValue(entry[0]) : entry[1] }))
    .map(({ entry, rank }) => ({ entry, rank: keepsCase ? rank : withoutCase(rank) }))
    .sort((a, b) => sign * orderOf(a.rank, b.rank));
  return pairs(sorted.map(({ entry }) => entry));
}

function withoutCase(value: TemplateValue): TemplateValue {
  return value.type === 'StringValue' ? new StringValue(value.value.toLowerCase()) : value;
}

function pairs(entries: ReadonlyArray<readonly [TemplateKey, TemplateValue]>): TemplateValue {
  return new ArrayValue(entries.map(([key, value]) => new ArrayValue([keyValue(key), value])));
}
