/** A server under measurement. */
export interface Contender {
  name: string;
  url: string;
}

/** Ours, and the reference where its URL is given. */
export function contenders(own: string, reference: string | undefined): Contender[] {
  const others = reference === undefined ? [] : [{ name: 'reference', url: reference.replace(/\/$/, '') }];
  return [{ name: 'tito', url: own }, ...others];
}

/**
 * Measure each contender once a round, in turns, so that a noisy machine hits all alike. The results of a contender
 * are in the order of rounds.
 */
export async function inRounds<Result>(
  among: readonly Contender[],
  rounds: number,
  measure: (contender: Contender) => Promise<Result>,
): Promise<Map<Contender, Result[]>> {
  const results = new Map(among.map((contender): [Contender, Result[]] => [contender, []]));
  for (let round = 0; round < rounds; round++) {
    for (const contender of among) results.get(contender)!.push(await measure(contender));
    if (process.stderr.isTTY) process.stderr.write(`round ${round + 1} of ${rounds}\r`);
  }
  return results;
}
