import { describe, expect, it, vi } from 'vitest';
import { EventQueue } from './event-queue.js';

async function collect<T>(queue: EventQueue<T>): Promise<T[]> {
  const values: T[] = [];
  for await (const value of queue) values.push(value);
  return values;
}

describe('EventQueue', () => {
  it('delivers what was pushed before and while it is read, in order', async () => {
    const queue = new EventQueue<number>();
    queue.push(1);
    const all = collect(queue);
    await Promise.resolve();
    queue.push(2);
    queue.push(3);
    queue.end();
    queue.push(4);
    expect(await all).toEqual([1, 2, 3]);
  });

  it('delivers what came before a failure, then rejects', async () => {
    const queue = new EventQueue<number>();
    queue.push(1);
    queue.fail(new Error('lost'));
    expect(await queue.next()).toEqual({ value: 1, done: false });
    await expect(queue.next()).rejects.toThrow('lost');
  });

  it('rejects a reader that already waits', async () => {
    const queue = new EventQueue<number>();
    const waiting = queue.next();
    queue.fail(new Error('lost'));
    await expect(waiting).rejects.toThrow('lost');
  });

  it('tells when the reader leaves early, and only then', async () => {
    const onReturn = vi.fn();
    const queue = new EventQueue<number>(onReturn);
    queue.push(1);
    queue.push(2);
    for await (const value of queue) if (value === 1) break;
    expect(onReturn).toHaveBeenCalledTimes(1);
    expect(await queue.next()).toEqual({ value: undefined, done: true });

    const finished = new EventQueue<number>(onReturn);
    finished.end();
    await collect(finished);
    await finished.return();
    expect(onReturn).toHaveBeenCalledTimes(1);
  });
});
