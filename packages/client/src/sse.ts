import { createParser } from 'eventsource-parser';
import { ConnectionError } from './errors.js';

/**
 * The data of each server-sent event of a body, `[DONE]` left out. Throws a ConnectionError when the body ends without
 * it: an answer cut short must not pass for a whole one. The clock runs during reads only, so that a slow reader of the
 * events is not taken for a silent server; keep-alive comments count as signs of life.
 */
export async function* eventsOf(
  body: ReadableStream<Uint8Array>,
  clock: { restart(): void; stop(): void } = { restart: () => undefined, stop: () => undefined },
): AsyncGenerator<string, void, undefined> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const ready: string[] = [];
  const parser = createParser({ onEvent: ({ data }) => void ready.push(data) });
  try {
    for (;;) {
      clock.restart();
      const { value, done } = await reader.read();
      clock.stop();
      if (done) throw new ConnectionError('The stream ended without [DONE]: the answer is not complete.');
      parser.feed(decoder.decode(value, { stream: true }));
      for (const data of ready.splice(0)) {
        if (data === '[DONE]') return;
        yield data;
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
