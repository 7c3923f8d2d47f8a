import { createParser } from 'eventsource-parser';
import { sendJson } from './json-http.js';

export interface Load {
  url: string;
  /** Streams at once; each is one request. */
  concurrency: number;
  promptLength: number;
  outputLength: number;
  sampling: Readonly<Record<string, unknown>>;
}

export interface LoadResult {
  /** Output tokens of all streams over the whole run's time, prefill included. */
  tokensPerSecond: number;
  /** Output tokens a second while every stream was decoding. */
  steadyTokensPerSecond: number;
  /** Milliseconds from sending to the first token, by stream. */
  firstToken: number[];
  /** Milliseconds between chunks of one stream, of all streams. */
  gaps: number[];
}

interface Arrival {
  stream: number;
  at: number;
  tokens: number;
}

/** Start `concurrency` streams at once and read them to their ends. Throws on any answer but a whole stream. */
export async function runStreams(load: Load): Promise<LoadResult> {
  const started = performance.now();
  const arrivals: Arrival[] = [];
  const streams = Array.from({ length: load.concurrency }, (_, stream) => readStream(load, stream, arrivals));
  await Promise.all(streams);
  return summarize(load, arrivals, started);
}

/** What a stream brought, and when; read apart after the run, so that the measuring takes little of the machine. */
interface Piece {
  at: number;
  bytes: Buffer;
}

async function readStream(load: Load, stream: number, arrivals: Arrival[]): Promise<void> {
  const pieces = await piecesOf(load, stream);
  let received = 0;
  let at = 0;
  const parser = createParser({
    onEvent: ({ data }) => {
      if (data === '[DONE]') return;
      const chunk = JSON.parse(data) as { choices?: Array<{ token_ids?: number[] | null }> };
      const tokens = chunk.choices?.[0]?.token_ids?.length ?? 0;
      received += tokens;
      if (tokens > 0) arrivals.push({ stream, at, tokens });
    },
  });
  const decoder = new TextDecoder();
  for (const piece of pieces) {
    at = piece.at;
    parser.feed(decoder.decode(piece.bytes, { stream: true }));
  }
  if (received !== load.outputLength) {
    throw new Error(`stream ${stream} gave ${received} of ${load.outputLength} tokens`);
  }
}

async function piecesOf(load: Load, stream: number): Promise<Piece[]> {
  const token_ids = Array.from(
    { length: load.promptLength },
    (_, i) => 100 + ((i * 7919 + stream * 104_729) % 20_000),
  );
  const sampling_params = { max_tokens: load.outputLength, ignore_eos: true, ...load.sampling };
  const body = JSON.stringify({ token_ids, stream: true, sampling_params });
  const response = await sendJson(`${load.url}/inference/v1/generate`, body);
  const pieces: Piece[] = [];
  for await (const bytes of response) pieces.push({ at: performance.now(), bytes: bytes as Buffer });
  if (response.statusCode !== 200) {
    throw new Error(`${response.statusCode}: ${Buffer.concat(pieces.map((piece) => piece.bytes))}`);
  }
  return pieces;
}

function summarize(load: Load, arrivals: readonly Arrival[], started: number): LoadResult {
  const byStream = Array.from({ length: load.concurrency }, (_, stream) =>
    arrivals.filter((a) => a.stream === stream),
  );
  const lastFirst = Math.max(...byStream.map((list) => list[0]!.at));
  const firstLast = Math.min(...byStream.map((list) => list.at(-1)!.at));
  const steady = arrivals.filter(({ at }) => at > lastFirst && at <= firstLast);
  const total = load.concurrency * load.outputLength;
  const end = Math.max(...arrivals.map(({ at }) => at));
  return {
    tokensPerSecond: (total * 1000) / (end - started),
    steadyTokensPerSecond: (sum(steady.map(({ tokens }) => tokens)) * 1000) / (firstLast - lastFirst),
    firstToken: byStream.map((list) => list[0]!.at - started),
    gaps: byStream.flatMap((list) => list.slice(1).map(({ at }, i) => at - list[i]!.at)),
  };
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
