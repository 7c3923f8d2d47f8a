import fc from 'fast-check';

/** A change to a file's bytes. */
export type Mutation = (bytes: Buffer) => Buffer;

const EXTREMES = [0n, 1n, 0x7fffffffn, 0xffffffffn, 1n << 40n, 1n << 53n, (1n << 63n) - 1n, (1n << 64n) - 1n];

const place = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
const at = (bytes: Buffer, share: number, before = bytes.length): number =>
  Math.floor(share * Math.min(bytes.length, before));

/** For tests: damage such as broken downloads, broken writers and attackers do; `head` = where a format keeps its counts. */
export function mutations(head: number): fc.Arbitrary<Mutation[]> {
  const cut = place.map(
    (share): Mutation =>
      (bytes) =>
        bytes.subarray(0, at(bytes, share)),
  );
  const flip = fc.tuple(place, fc.nat(255)).map(
    ([share, byte]): Mutation =>
      (bytes) => {
        if (bytes.length > 0) bytes[at(bytes, share, head)]! ^= byte;
        return bytes;
      },
  );
  const extreme = fc.tuple(place, fc.constantFrom(...EXTREMES), fc.constantFrom(4, 8)).map(
    ([share, value, width]): Mutation =>
      (bytes) => {
        const start = at(bytes, share, head);
        for (let i = 0; i < width && start + i < bytes.length; i++) {
          bytes[start + i] = Number((value >> BigInt(8 * i)) & 0xffn);
        }
        return bytes;
      },
  );
  const insert = fc.tuple(place, fc.uint8Array({ minLength: 1, maxLength: 40 })).map(
    ([share, added]): Mutation =>
      (bytes) => {
        const start = at(bytes, share, head);
        return Buffer.concat([bytes.subarray(0, start), added, bytes.subarray(start)]);
      },
  );
  const remove = fc.tuple(place, fc.nat(40)).map(
    ([share, count]): Mutation =>
      (bytes) => {
        const start = at(bytes, share, head);
        return Buffer.concat([bytes.subarray(0, start), bytes.subarray(start + count)]);
      },
  );
  return fc.array(fc.oneof(cut, flip, extreme, extreme, insert, remove), { minLength: 1, maxLength: 4 });
}

/** JSON with some values replaced by what does not belong there, any depth. */
export function strangeJson(text: string): fc.Arbitrary<string> {
  const paths = pathsOf(JSON.parse(text));
  const strange = fc.oneof(
    fc.constantFrom<unknown>(
      null,
      true,
      -1,
      0,
      1.5,
      1e308,
      -1e308,
      2 ** 53,
      2 ** 40,
      '',
      '..',
      '../../x',
      '/etc/passwd',
      '__proto__',
      'a\0b',
      [],
      {},
      [[]],
      [null],
      { '': null },
    ),
    fc.jsonValue(),
    fc.constantFrom('normalizers', 'pretokenizers', 'decoders', 'processors').map((key) => nested(key, 2000)),
  );
  return fc
    .array(fc.tuple(fc.constantFrom(...paths), strange), { minLength: 1, maxLength: 3 })
    .map((changes) => {
      const value: unknown = JSON.parse(text);
      for (const [path, replacement] of changes) replaceAt(value, path, replacement);
      return JSON.stringify(value);
    });
}

function nested(key: string, depth: number): unknown {
  let value: unknown = { type: 'Sequence', [key]: [] };
  for (let i = 0; i < depth; i++) value = { type: 'Sequence', [key]: [value] };
  return value;
}

/** Places of all values but those of long lists, of which the first few stand for the rest. */
function pathsOf(value: unknown, path: readonly string[] = []): string[][] {
  if (typeof value !== 'object' || value === null) return path.length > 0 ? [[...path]] : [];
  const inner = Object.entries(value).slice(0, 12);
  const own = path.length > 0 ? [[...path]] : [];
  return [...own, ...inner.flatMap(([key, child]) => pathsOf(child, [...path, key]))];
}

function replaceAt(root: unknown, path: readonly string[], replacement: unknown): void {
  let parent = root as Record<string, unknown> | undefined;
  for (const key of path.slice(0, -1)) {
    const next = parent?.[key];
    if (typeof next !== 'object' || next === null) return;
    parent = next as Record<string, unknown>;
  }
  if (parent) parent[path.at(-1)!] = replacement;
}
