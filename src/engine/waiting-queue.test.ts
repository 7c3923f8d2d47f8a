import { describe, expect, it } from 'vitest';
import type { Sequence } from './sequence.js';
import { WaitingQueue } from './waiting-queue.js';

const waiting = (arrival: number, priority = 0): Sequence => ({ arrival, request: { priority } }) as Sequence;
const any = (): boolean => true;

describe('WaitingQueue', () => {
  it('is first come, first served', () => {
    const queue = new WaitingQueue('fcfs');
    for (const sequence of [waiting(0, 9), waiting(1, 0), waiting(2, 5)]) queue.add(sequence);
    expect([0, 1, 2].map(() => queue.take(any)?.arrival)).toEqual([0, 1, 2]);
    expect(queue.take(any)).toBeUndefined();
  });

  it('puts lower priorities first, then earlier arrivals', () => {
    const queue = new WaitingQueue('priority');
    for (const sequence of [waiting(0, 5), waiting(1, 0), waiting(2, 5), waiting(3, -1)]) queue.add(sequence);
    expect([0, 1, 2, 3].map(() => queue.take(any)?.arrival)).toEqual([3, 1, 0, 2]);
  });

  it('gives a preempted sequence its place back', () => {
    const queue = new WaitingQueue('fcfs');
    for (const arrival of [4, 5]) queue.add(waiting(arrival));
    queue.add(waiting(1));
    expect(queue.take(any)?.arrival).toBe(1);
  });

  it('passes over what may not be admitted yet, and removes on request', () => {
    const queue = new WaitingQueue('fcfs');
    const [first, second] = [waiting(0), waiting(1)];
    queue.add(first);
    queue.add(second);
    expect(queue.take((sequence) => sequence !== first)).toBe(second);
    expect(queue.remove(first)).toBe(true);
    expect(queue.remove(first)).toBe(false);
    expect(queue.size).toBe(0);
  });
});
