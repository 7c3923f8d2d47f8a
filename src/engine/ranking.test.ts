import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isAfter, Ranking } from './ranking.js';

/** Few distinct values, so that weights are often equal, beside arbitrary ones. */
const weight = fc.oneof(
  fc.constantFrom(0, 0.25, 0.5, 1),
  fc.float({ min: 0, max: 1, noNaN: true }).map((value) => Math.fround(Math.abs(value))),
);
const weights = fc
  .array(weight, { minLength: 1, maxLength: 200 })
  .filter((values) => values.some((value) => value > 1e-30))
  .map((values) => Float32Array.from(values));

function load(values: Float32Array): Ranking {
  const ranking = new Ranking(values.length);
  ranking.load(values);
  return ranking;
}

/** Places by sorting everything; weights too small to count are left out, as they can't be drawn. */
function sorted(values: Float32Array): Array<{ id: number; weight: number; mass: number }> {
  let mass = 0;
  return Array.from(values, (value, id) => ({ id, weight: value }))
    .filter(({ weight }) => weight > 1e-37)
    .sort((a, b) => b.weight - a.weight || a.id - b.id)
    .map((place) => {
      mass += place.weight;
      return { ...place, mass };
    });
}

describe('Ranking', () => {
  it('finds the k-th largest weight', () => {
    fc.assert(
      fc.property(weights, fc.nat(199), (values, index) => {
        const places = sorted(values);
        const k = (index % places.length) + 1;
        expect(load(values).weightAt(k)).toBe(places[k - 1]!.weight);
      }),
    );
  });

  it('counts nothing past the last weight above zero', () => {
    expect(load(Float32Array.of(0, 0.5, 0)).weightAt(2)).toBe(0);
  });

  it('reaches the place where the cumulative weight does, best first and equal weights by id', () => {
    fc.assert(
      fc.property(weights, fc.double({ min: 1e-9, max: 1, noNaN: true }), (values, share) => {
        const places = sorted(values);
        const target = share * places.at(-1)!.mass;
        const reached = load(values).reach(target);
        const at = places.findIndex(({ id }) => id === reached.id);
        expect(reached.weight).toBe(places[at]!.weight);
        expect(reached.mass).toBeCloseTo(places[at]!.mass, 9);
        expect(reached.mass).toBeGreaterThanOrEqual(target * (1 - 1e-12));
        expect((places[at - 1]?.mass ?? 0) * (1 - 1e-12)).toBeLessThanOrEqual(target);
      }),
    );
  });

  it('finds the last place of at least some weight, with the weight of all up to it', () => {
    fc.assert(
      fc.property(weights, fc.double({ min: 1e-6, max: 1, noNaN: true }), (values, share) => {
        const places = sorted(values);
        const least = Math.fround(places[0]!.weight * share);
        const expected = places.filter(({ weight }) => weight >= least).at(-1)!;
        const found = load(values).lastAtLeast(least);
        expect([found.id, found.weight]).toEqual([expected.id, expected.weight]);
        expect(found.mass).toBeCloseTo(expected.mass, 9);
      }),
    );
  });

  it('can be loaded again', () => {
    const ranking = load(Float32Array.of(0.1, 0.9));
    expect(ranking.reach(0.5).id).toBe(1);
    ranking.load(Float32Array.of(0.75, 0.25));
    expect(ranking.reach(0.5).id).toBe(0);
    expect(ranking.total).toBe(1);
  });

  it('orders ids by weight, then by number', () => {
    const last = { id: 3, weight: 0.5, mass: 1 };
    expect([
      isAfter(3, 0.5, last),
      isAfter(4, 0.5, last),
      isAfter(0, 0.4, last),
      isAfter(9, 0.6, last),
    ]).toEqual([false, true, true, false]);
  });
});
