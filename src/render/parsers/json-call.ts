import { isLosslessNumber, parse } from 'lossless-json';
import { PLAIN_STYLE, pythonJson } from '../../text/python-json.js';
import { templateValue } from '../../text/template-values.js';
import type { ParsedToolCall } from './parser.js';

/** A call as models write it in JSON; null unless it is an object with a name and arguments. */
export function jsonCall(
  text: string,
  argumentNames: readonly string[] = ['arguments'],
): ParsedToolCall | null {
  const value = parsedJson(text);
  return value === undefined ? null : callOf(value, argumentNames);
}

/** The same of a value that was read. */
export function callOf(value: unknown, argumentNames: readonly string[]): ParsedToolCall | null {
  if (value === null || typeof value !== 'object' || isLosslessNumber(value)) return null;
  const fields = value as Readonly<Record<string, unknown>>;
  const name = argumentNames.find((candidate) => candidate in fields);
  if (typeof fields.name !== 'string' || name === undefined) return null;
  return { name: fields.name, arguments: pythonText(fields[name]) };
}

/** JSON as the reference prints it. */
export function pythonText(value: unknown): string {
  return pythonJson(templateValue(value), PLAIN_STYLE);
}

/** The value of a JSON text, numbers digit for digit; undefined for anything else. */
export function parsedJson(text: string): unknown {
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}
