import { isLosslessNumber } from 'lossless-json';
import type { Tool } from '../../../../generated/types.js';

/** JSON's types, in the order in which a text is tried as each of them. */
export const TYPES = ['null', 'integer', 'number', 'boolean', 'object', 'array', 'string'] as const;

/** Which types a value may have; never empty. Types that JSON does not know are left out, so it may lack them all. */
export type Types = ReadonlySet<string>;

const ALIASES: Readonly<Record<string, string>> = {
  ...named('string', 'str text varchar char enum'),
  ...named('integer', 'int int32 int64 uint uint32 uint64 long short unsigned'),
  ...named('number', 'float float32 float64 double'),
  ...named('boolean', 'bool'),
  ...named('object', 'dict'),
  ...named('array', 'arr list sequence'),
};

type Schema = Readonly<Record<string, unknown>>;

/** The types of a tool's argument; null where its schema says nothing, which leaves text as it is. */
export function typesOfArgument(tools: readonly Tool[], name: string, argument: string): Types | null {
  const { properties } = tools.find((tool) => tool.function.name === name)?.function.parameters ?? {};
  if (!isSchema(properties) || !Object.hasOwn(properties, argument)) return null;
  const schema = properties[argument];
  return isSchema(schema) ? new Set([...typesOf(schema)].map(normal)) : null;
}

function typesOf(schema: unknown): Set<string> {
  if (!isSchema(schema)) return new Set(['string']);
  const { type, enum: values } = schema;
  const types = new Set([type].flat().filter((one) => typeof one === 'string'));
  if (Array.isArray(values)) for (const value of values) types.add(typeOf(value));
  for (const choices of [schema.anyOf, schema.oneOf, schema.allOf]) {
    if (!Array.isArray(choices)) continue;
    for (const choice of choices) for (const inner of typesOf(choice)) types.add(inner);
  }
  return types.size > 0 ? types : new Set(['string']);
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (isLosslessNumber(value)) return /[.eE]/.test(value.value) ? 'number' : 'integer';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return Array.isArray(value) ? 'array' : typeof value;
}

function normal(type: string): string {
  const plain = type.trim().toLowerCase();
  return Object.hasOwn(ALIASES, plain) ? ALIASES[plain]! : plain;
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isLosslessNumber(value);
}

function named(type: string, aliases: string): Record<string, string> {
  return Object.fromEntries(aliases.split(' ').map((alias) => [alias, type]));
}
