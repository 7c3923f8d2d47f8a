import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

export interface Seen {
  path: string;
  headers: IncomingMessage['headers'];
  body: Record<string, unknown>;
  /** Whether the caller closed the connection before the answer ended. */
  left: boolean;
}

export interface FakeServer {
  url: string;
  /** Requests, oldest first. */
  seen: Seen[];
  /** Paths of the requests. */
  paths(): string[];
  close(): Promise<void>;
}

export type Script = (response: ServerResponse, seen: Seen, nth: number) => void | Promise<void>;

/** Answers each request as the script of its path says; aborts get an empty 200 unless there is one for them. */
export async function fakeServer(scripts: Readonly<Record<string, Script>>): Promise<FakeServer> {
  const seen: Seen[] = [];
  const server = createServer(async (request, response) => {
    const path = request.url!;
    const one: Seen = {
      path,
      headers: request.headers,
      body: (await json(request)) as Seen['body'],
      left: false,
    };
    seen.push(one);
    response.on('close', () => {
      one.left = !response.writableFinished;
    });
    const nth = seen.filter((other) => other.path === path).length - 1;
    await (scripts[path] ?? ((res) => void res.end()))(response, one, nth);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    paths: () => seen.map(({ path }) => path),
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

export const GENERATE = '/inference/v1/generate';
export const ABORT = '/inference/v1/abort_requests';

/** A frame of a stream. */
export const frame = (data: unknown): string =>
  `data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;

/** A chunk of one sequence with these ids. */
export const chunkOf = (token_ids: number[], finish_reason: string | null = null, index = 0): unknown => ({
  request_id: 'generate-tokens-x',
  choices: [{ index, token_ids, finish_reason }],
});

export function startStream(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.flushHeaders();
}

export function sendError(response: ServerResponse, status: number, body: unknown, headers = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
}

export const envelope = (
  message: string,
  type: string,
  code: number,
  param: string | null = null,
): unknown => ({
  error: { message, type, param, code },
});
