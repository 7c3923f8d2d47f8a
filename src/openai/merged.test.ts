import { describe, expect, it } from 'vitest';
import { merged } from './merged.js';

async function* source(values: readonly string[], left: string[] = []): AsyncGenerator<string> {
  try {
    for (const value of values) yield value;
  } finally {
    left.push(values.join());
  }
}

describe('merged', () => {
  it('gives every value of every source, each source in its order', async () => {
    const got: string[] = [];
    for await (const { from, value } of merged([source(['a', 'b']), source([]), source(['x'])])) {
      got.push(`${from}${value}`);
    }
    expect([...got].sort()).toEqual(['0a', '0b', '2x']);
    expect(got.indexOf('0a')).toBeLessThan(got.indexOf('0b'));
  });

  it('leaves every source when it is left', async () => {
    const left: string[] = [];
    for await (const _ of merged([source(['a', 'b'], left), source(['x', 'y'], left)])) break;
    expect(left.sort()).toEqual(['a,b', 'x,y']);
  });

  it('passes on what a source throws, and leaves the others', async () => {
    const left: string[] = [];
    const failing = (async function* (): AsyncGenerator<string> {
      yield 'first';
      throw new Error('lost');
    })();
    const read = async () => {
      for await (const _ of merged([source(['a', 'b'], left), failing]));
    };
    await expect(read()).rejects.toThrow('lost');
    expect(left).toEqual(['a,b']);
  });
});
