import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { type GivenOptions, OPTIONS, type Option } from '../config.js';
import { StartupError } from '../errors.js';
import { nearest } from './nearest.js';

export interface ConfigFile {
  /** Null when the file names none. */
  model: string | null;
  given: GivenOptions;
}

const EMPTY: ConfigFile = { model: null, given: {} };

/**
 * Read a YAML file of options: keys are flags without the dashes in front (`max-num-seqs`, or `max_num_seqs`), and
 * `model`. Throws a StartupError for a file that can't be read, an unknown key or a value of the wrong kind.
 */
export function readConfigFile(path: string | undefined): ConfigFile {
  if (path === undefined) return EMPTY;
  const entries = Object.entries(parsed(path));
  const file: ConfigFile = { model: null, given: {} };
  for (const [key, value] of entries) {
    if (key === 'model') file.model = String(value);
    else Object.assign(file.given, optionOf(path, key, value));
  }
  return file;
}

function parsed(path: string): Record<string, unknown> {
  let content: unknown;
  try {
    content = parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new StartupError(`Can't read --config ${path}: ${(error as Error).message.split('\n')[0]}`);
  }
  if (content === null) return {};
  if (typeof content !== 'object' || Array.isArray(content)) {
    throw new StartupError(`--config ${path} must hold options by name, such as "port: 8000".`);
  }
  return content as Record<string, unknown>;
}

function optionOf(path: string, key: string, value: unknown): GivenOptions {
  const flag = key.replaceAll('_', '-');
  const found = Object.entries<Option>(OPTIONS).find(([, option]) => option.flag === flag);
  if (!found) {
    const known = Object.values<Option>(OPTIONS).map((option) => option.flag);
    const guess = nearest(flag, ['model', ...known]);
    const hint = guess === null ? 'See tito serve --help.' : `Did you mean "${guess}"?`;
    throw new StartupError(`--config ${path} has "${key}", which is no option. ${hint}`);
  }
  const [name, option] = found;
  if (value === null) return {};
  return { [name]: checkedValue(path, key, option, value) };
}

/** The value as the option takes it; objects stand for their JSON in options that take text. */
function checkedValue(path: string, key: string, option: Option, value: unknown): unknown {
  const wrong = (wanted: string): StartupError =>
    new StartupError(`--config ${path}: "${key}" must be ${wanted}, got ${JSON.stringify(value)}.`);
  switch (option.kind) {
    case 'switch':
      if (typeof value !== 'boolean') throw wrong('true or false');
      return value;
    case 'number':
      if (typeof value !== 'number') throw wrong('a number');
      return value;
    case 'list':
      return [value].flat().map(String);
    case 'text':
      return typeof value === 'object' ? JSON.stringify(value) : String(value);
  }
}
