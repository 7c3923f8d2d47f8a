/**
 * Writes a copy of a GGUF file in which some tokens have other names and are ordinary text, no longer special: a
 * tokenizer with `<think>` tokens for tests, from a model that has none.
 *
 *   node dist/scripts/rename-tokens.js IN.gguf OUT.gguf 11='<think>' 12='</think>'
 */
import { readFile, writeFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';

const STRING = 8;
const ARRAY = 9;
/** Bytes of each fixed-size value type of GGUF. */
const SIZES: Readonly<Record<number, number>> = {
  0: 1,
  1: 1,
  2: 2,
  3: 2,
  4: 4,
  5: 4,
  6: 4,
  7: 1,
  10: 8,
  11: 8,
  12: 8,
};
const USER_DEFINED = 4;
const DEFAULT_ALIGNMENT = 32;

/** The content of a file with the tokens renamed. Throws a RangeError when it has no such tokens. */
export function renamedTokens(file: Buffer, names: ReadonlyMap<number, string>): Buffer {
  const reader = new HeaderReader(file);
  const parts: Buffer[] = [];
  let copied = 0;
  const replace = (from: number, to: number, bytes: Buffer): void => {
    parts.push(file.subarray(copied, from), bytes);
    copied = to;
  };
  reader.skip(8);
  const tensors = reader.uint64();
  const entries = reader.uint64();
  for (let entry = 0; entry < entries; entry++) {
    const key = reader.string();
    const type = reader.uint32();
    if (type === ARRAY && key === 'tokenizer.ggml.tokens') renameStrings(reader, names, replace);
    else if (type === ARRAY && key === 'tokenizer.ggml.token_type') retype(reader, names, replace);
    else reader.value(type);
  }
  for (let tensor = 0; tensor < tensors; tensor++) reader.tensorInfo();
  const oldData = aligned(reader.at);
  parts.push(file.subarray(copied, reader.at));
  const header = Buffer.concat(parts);
  const padding = Buffer.alloc(aligned(header.length) - header.length);
  return Buffer.concat([header, padding, file.subarray(oldData)]);
}

type Replace = (from: number, to: number, bytes: Buffer) => void;

function renameStrings(reader: HeaderReader, names: ReadonlyMap<number, string>, replace: Replace): void {
  reader.skip(4);
  const count = reader.uint64();
  if ([...names.keys()].some((id) => id >= count)) throw new RangeError(`the file has only ${count} tokens`);
  for (let id = 0; id < count; id++) {
    const from = reader.at;
    reader.string();
    const name = names.get(id);
    if (name === undefined) continue;
    const bytes = Buffer.from(name);
    const length = Buffer.alloc(8);
    length.writeBigUInt64LE(BigInt(bytes.length));
    replace(from, reader.at, Buffer.concat([length, bytes]));
  }
}

function retype(reader: HeaderReader, names: ReadonlyMap<number, string>, replace: Replace): void {
  reader.skip(4);
  const count = reader.uint64();
  for (let id = 0; id < count; id++) {
    const type = Buffer.alloc(4);
    type.writeInt32LE(USER_DEFINED);
    if (names.has(id)) replace(reader.at, reader.at + 4, type);
    reader.skip(4);
  }
}

/** Walks over the header of a GGUF file of version 2 or 3. */
class HeaderReader {
  at = 0;

  constructor(private readonly bytes: Buffer) {}

  skip(count: number): void {
    this.at += count;
  }

  uint32(): number {
    this.at += 4;
    return this.bytes.readUInt32LE(this.at - 4);
  }

  uint64(): number {
    this.at += 8;
    return Number(this.bytes.readBigUInt64LE(this.at - 8));
  }

  string(): string {
    const length = this.uint64();
    this.at += length;
    return this.bytes.toString('utf8', this.at - length, this.at);
  }

  value(type: number): void {
    if (type === STRING) this.string();
    else if (type === ARRAY) this.#array();
    else this.skip(SIZES[type]!);
  }

  tensorInfo(): void {
    this.string();
    this.skip(8 * this.uint32() + 4 + 8);
  }

  #array(): void {
    const type = this.uint32();
    const count = this.uint64();
    for (let i = 0; i < count; i++) this.value(type);
  }
}

function aligned(length: number): number {
  return Math.ceil(length / DEFAULT_ALIGNMENT) * DEFAULT_ALIGNMENT;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const [from, to, ...pairs] = process.argv.slice(2);
  if (!from || !to || pairs.length === 0) throw new Error('usage: rename-tokens IN.gguf OUT.gguf ID=NAME …');
  const names = new Map(
    pairs.map((pair) => [Number(pair.slice(0, pair.indexOf('='))), pair.slice(pair.indexOf('=') + 1)]),
  );
  await writeFile(to, renamedTokens(await readFile(from), names));
}
