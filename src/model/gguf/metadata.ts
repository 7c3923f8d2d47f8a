import { StartupError } from '../../errors.js';

export type MetadataValue = string | number | bigint | boolean | MetadataValue[];

/** The key/value section of a GGUF file, or what stands for it, read with the types that a caller expects. */
export class Metadata {
  constructor(
    private readonly file: string,
    private readonly values: Readonly<Record<string, MetadataValue | undefined>>,
    /** What the file calls the field of a key, for messages. */
    private readonly fieldNames: Readonly<Record<string, string>> = {},
  ) {}

  /** The name by which users know a key. */
  nameOf(key: string): string {
    return this.fieldNames[key] ?? key;
  }

  has(key: string): boolean {
    return this.values[key] !== undefined;
  }

  /** A finite number. Throws a StartupError that names the key when it is absent or of another type. */
  number(key: string): number {
    return this.optionalNumber(key) ?? this.missing(key);
  }

  optionalNumber(key: string): number | null {
    const value = this.values[key];
    if (value === undefined) return null;
    if (typeof value === 'bigint') return Number(value);
    return typeof value === 'number' && Number.isFinite(value) ? value : this.wrong(key, 'a number');
  }

  /** An integer ≥ 1. Throws a StartupError that names the key. */
  count(key: string): number {
    return this.optionalCount(key) ?? this.missing(key);
  }

  optionalCount(key: string): number | null {
    const value = this.optionalNumber(key);
    if (value !== null && !(Number.isSafeInteger(value) && value >= 1)) this.wrong(key, 'a positive integer');
    return value;
  }

  string(key: string): string {
    return this.optionalString(key) ?? this.missing(key);
  }

  optionalString(key: string): string | null {
    const value = this.values[key];
    if (value === undefined) return null;
    return typeof value === 'string' ? value : this.wrong(key, 'a string');
  }

  optionalBoolean(key: string): boolean | null {
    const value = this.values[key];
    if (value === undefined) return null;
    return typeof value === 'boolean' ? value : this.wrong(key, 'a boolean');
  }

  strings(key: string): string[] {
    const value = this.values[key];
    if (value === undefined) return this.missing(key);
    if (!Array.isArray(value) || !value.every((item) => typeof item === 'string'))
      this.wrong(key, 'a list of strings');
    return value as string[];
  }

  numbers(key: string): number[] {
    const value = this.values[key];
    if (value === undefined) return this.missing(key);
    if (!Array.isArray(value) || !value.every((item) => typeof item === 'number'))
      this.wrong(key, 'a list of numbers');
    return value as number[];
  }

  /** A flag for each layer, or one number that stands for a pattern; null when the key is absent. */
  optionalFlags(key: string): readonly boolean[] | number | null {
    const value = this.values[key];
    if (!Array.isArray(value)) return this.optionalCount(key);
    return value.map((flag) => {
      if (typeof flag === 'boolean') return flag;
      return typeof flag === 'number' || typeof flag === 'bigint'
        ? Number(flag) !== 0
        : this.wrong(key, 'a list of flags');
    });
  }

  private missing(key: string): never {
    throw new StartupError(
      `${this.file} has no metadata key ${this.nameOf(key)}: the file is incomplete or of another kind.`,
    );
  }

  private wrong(key: string, expected: string): never {
    throw new StartupError(`${this.file}: metadata key ${this.nameOf(key)} is not ${expected}.`);
  }
}
