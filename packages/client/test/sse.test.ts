import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ConnectionError } from '../src/errors.js';
import { eventsOf } from '../src/sse.js';

const recorded = JSON.parse(
  readFileSync(new URL('recorded-streams.json', import.meta.url), 'utf8'),
) as Record<string, { events: unknown[] }>;

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);

function bodyOf(reads: readonly Uint8Array[]): ReadableStream<Uint8Array> {
  const left = [...reads];
  return new ReadableStream({
    pull(controller) {
      const next = left.shift();
      if (next) controller.enqueue(next);
      else controller.close();
    },
  });
}

async function read(reads: readonly Uint8Array[]): Promise<unknown[]> {
  const events: unknown[] = [];
  for await (const data of eventsOf(bodyOf(reads))) events.push(JSON.parse(data));
  return events;
}

const dataOf = (event: unknown): string =>
  `data: ${typeof event === 'string' ? event : JSON.stringify(event)}`;

/** The same stream as servers and proxies may write it. */
const WRITTEN: Readonly<Record<string, (events: readonly unknown[]) => string>> = {
  'with LF': (events) => events.map((event) => `${dataOf(event)}\n\n`).join(''),
  'with CRLF': (events) => events.map((event) => `${dataOf(event)}\r\n\r\n`).join(''),
  'with comment lines': (events) => events.map((event) => `: keep-alive\n\n:\n${dataOf(event)}\n\n`).join(''),
  'with ids and event names': (events) =>
    events.map((event, id) => `id: ${id}\nevent: message\n${dataOf(event)}\n\n`).join(''),
};

describe.each(Object.keys(recorded))('the recorded stream %s', (name) => {
  const { events } = recorded[name]!;
  const expected = events.slice(0, -1);

  it.each(Object.keys(WRITTEN))('%s reads the same cut at every byte', async (how) => {
    const bytes = encode(WRITTEN[how]!(events));
    for (let cut = 0; cut <= bytes.length; cut++) {
      expect(await read([bytes.subarray(0, cut), bytes.subarray(cut)])).toEqual(expected);
    }
  });

  it.each(Object.keys(WRITTEN))('%s reads the same byte by byte, and all at once', async (how) => {
    const bytes = encode(WRITTEN[how]!(events));
    expect(await read([bytes])).toEqual(expected);
    expect(await read(Array.from(bytes, (_, at) => bytes.subarray(at, at + 1)))).toEqual(expected);
  });

  it('is an error without [DONE], wherever it ends', async () => {
    const bytes = encode(WRITTEN['with LF']!(expected));
    for (const end of [0, 1, bytes.length >> 1, bytes.length]) {
      await expect(read([bytes.subarray(0, end)])).rejects.toThrow(ConnectionError);
    }
  });
});
