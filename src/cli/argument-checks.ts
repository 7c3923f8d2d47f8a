import { InvalidArgumentError } from 'commander';

/** A whole number of at least 1. */
export function positiveInteger(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1)
    throw new InvalidArgumentError('It must be an integer of at least 1.');
  return value;
}

/** A number of at least 0. */
export function notNegative(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !(value >= 0))
    throw new InvalidArgumentError('It must be a number of at least 0.');
  return value;
}

/** Token ids, parted by commas or spaces; brackets around them are passed over. */
export function tokenIds(text: string): number[] {
  const ids = text
    .replace(/^\s*\[|\]\s*$/g, '')
    .split(/[\s,]+/)
    .filter(Boolean)
    .map(Number);
  if (ids.length === 0 || ids.some((id) => !Number.isInteger(id) || id < 0)) {
    throw new InvalidArgumentError('Token ids are integers of at least 0, such as 504,3575,282.');
  }
  return ids;
}
