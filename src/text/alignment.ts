/** Where each UTF-16 unit of a changed text came from: parallel arrays of UTF-16 ranges in the original. */
export interface Alignment {
  starts: Int32Array;
  ends: Int32Array;
}

/**
 * Align a text with what a normaliser made of it; null when nothing changed. Characters correspond by how many
 * code points they decompose into, which holds for Unicode normalisation, case and one-to-one replacement; what was
 * put in front belongs to the first character. Where the counts differ, the changed middle is one block.
 */
export function align(original: string, normalized: string): Alignment | null {
  if (original === normalized) return null;
  const blocks = byDecomposition(original, normalized) ?? byMiddle(original, normalized);
  return spread(original, blocks, normalized.length);
}

/** Lengths of matching parts of both texts, in UTF-16 units. */
type Block = readonly [original: number, normalized: number];

function byDecomposition(original: string, normalized: string): Block[] | null {
  const before = Array.from(original, (character) => [character.length, decomposed(character)] as const);
  const after = Array.from(normalized, (character) => [character.length, decomposed(character)] as const);
  const added = sum(after) - sum(before);
  const front = after.slice(0, Math.max(added, 0));
  if (added < 0 || sum(front) !== added) return null;
  const blocks: Block[] = front.map(([length]) => [0, length]);
  let behind = 0;
  let next = front.length;
  let block: [number, number] = [0, 0];
  for (const [length, points] of before) {
    block[0] += length;
    behind += points;
    while (behind > 0 && next < after.length) {
      block[1] += after[next]![0];
      behind -= after[next++]![1];
    }
    if (behind !== 0) continue;
    blocks.push(block);
    block = [0, 0];
  }
  return blocks;
}

function decomposed(character: string): number {
  return character < '\u0080' ? 1 : [...character.normalize('NFKD')].length;
}

function sum(characters: ReadonlyArray<readonly [number, number]>): number {
  return characters.reduce((total, [, points]) => total + points, 0);
}

function byMiddle(original: string, normalized: string): Block[] {
  const shorter = Math.min(original.length, normalized.length);
  let front = 0;
  while (front < shorter && original[front] === normalized[front]) front++;
  let back = 0;
  while (back < shorter - front && original.at(-1 - back) === normalized.at(-1 - back)) back++;
  const one = (count: number): Block[] => Array.from({ length: count }, (): Block => [1, 1]);
  return [...one(front), [original.length - front - back, normalized.length - front - back], ...one(back)];
}

function spread(original: string, blocks: readonly Block[], length: number): Alignment {
  const starts = new Int32Array(length);
  const ends = new Int32Array(length);
  const firstCharacter = (original.codePointAt(0) ?? 0) > 0xffff ? 2 : Math.min(1, original.length);
  let from = 0;
  let to = 0;
  for (const [before, after] of blocks) {
    starts.fill(from, to, to + after);
    ends.fill(from + before || firstCharacter, to, to + after);
    from += before;
    to += after;
  }
  return { starts, ends };
}
