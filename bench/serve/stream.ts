import { createParser } from 'eventsource-parser';
import { sendJson } from '../json-http.js';
import type { Wire } from './wire.js';

/** When a stream was asked for, and when it brought what. Milliseconds of one clock. */
export interface StreamTimes {
  sentAt: number;
  promptTokens: number;
  arrivals: ReadonlyArray<{ at: number; tokens: number }>;
  outputTokens: number;
}

/** Ask for a stream and read it to its end. Parsing waits until then, so that measuring takes little of the machine. */
export async function readStream(
  url: string,
  wire: Wire,
  prompt: readonly number[],
  outputTokens: number,
): Promise<StreamTimes> {
  const body = JSON.stringify(wire.body(prompt, outputTokens));
  const sentAt = performance.now();
  const response = await sendJson(`${url}${wire.path}`, body, true);
  const pieces: Piece[] = [];
  for await (const bytes of response) pieces.push({ at: performance.now(), bytes: bytes as Buffer });
  if (response.statusCode !== 200) {
    const text = Buffer.concat(pieces.map(({ bytes }) => bytes)).toString();
    throw new Error(`${url}${wire.path} answered ${response.statusCode}: ${text}`);
  }
  const arrivals = arrivalsOf(pieces, wire);
  if (arrivals.length === 0) throw new Error(`${url}${wire.path} gave no token`);
  return { sentAt, promptTokens: prompt.length, arrivals, outputTokens };
}

interface Piece {
  at: number;
  bytes: Buffer;
}

function arrivalsOf(pieces: readonly Piece[], wire: Wire): Array<{ at: number; tokens: number }> {
  const arrivals: Array<{ at: number; tokens: number }> = [];
  let at = 0;
  const parser = createParser({
    onEvent: ({ data }) => {
      if (data === '[DONE]') return;
      const chunk: unknown = JSON.parse(data);
      if ((chunk as { error?: unknown }).error) throw new Error(`a stream ended in an error: ${data}`);
      const tokens = wire.tokensOf(chunk);
      if (tokens > 0) arrivals.push({ at, tokens });
    },
  });
  const decoder = new TextDecoder();
  for (const piece of pieces) {
    at = piece.at;
    parser.feed(decoder.decode(piece.bytes, { stream: true }));
  }
  return arrivals;
}
