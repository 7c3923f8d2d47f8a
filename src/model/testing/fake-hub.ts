import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export interface FakeRepository {
  /** Content by path. Those of 1,000 bytes and more count as large files, listed by SHA-256. */
  files: Readonly<Record<string, Uint8Array | string>>;
  commit?: string;
  /** Tokens that may see it; default: it is public. */
  tokens?: readonly string[];
  /** Its terms were not accepted: listed, but not given. */
  gated?: boolean;
}

export interface FakeHub {
  url: string;
  repositories: Map<string, FakeRepository>;
  /** Method, path and range of each request. */
  asked: string[];
  /** Every token that was brought. */
  tokens: Set<string>;
  /** Break connections once a download of a large file has given this many bytes, that often. */
  breakAfter: { bytes: number; times: number };
  /** Answer everything with this status. */
  failing: number | null;
  close(): Promise<void>;
}

export const FAKE_COMMIT = 'c'.repeat(40);
const LARGE = 1000;

/** For tests: a server that speaks the hub's protocol (model info, tree, resolve with ranges, refusals with codes). */
export async function fakeHub(repositories: Readonly<Record<string, FakeRepository>>): Promise<FakeHub> {
  const server = createServer((request, response) => answer(hub, request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const hub: FakeHub = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    repositories: new Map(Object.entries(repositories)),
    asked: [],
    tokens: new Set(),
    breakAfter: { bytes: 0, times: 0 },
    failing: null,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  onTestFinished(() => hub.close());
  return hub;
}

function answer(hub: FakeHub, request: IncomingMessage, response: ServerResponse): void {
  const { pathname } = new URL(request.url!, hub.url);
  const { range } = request.headers;
  hub.asked.push(`${request.method} ${pathname}${range ? ` ${range}` : ''}`);
  const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? null;
  if (token !== null) hub.tokens.add(token);
  if (hub.failing !== null) return void refuse(response, hub.failing, null, 'Not now');
  const [, name = ''] = /^\/(?:api\/models\/)?([^/]+\/[^/]+)\//.exec(pathname) ?? [];
  const repository = hub.repositories.get(name);
  const isHidden = repository?.tokens && !repository.tokens.includes(token ?? '');
  if (!repository || isHidden)
    return void refuse(response, token ? 404 : 401, 'RepoNotFound', 'Repository not found');
  const commit = repository.commit ?? FAKE_COMMIT;
  const [, kind, revision, path = ''] =
    /\/(revision|tree|resolve)\/([^/]+)(?:\/(.*))?$/.exec(decodeURIComponent(pathname)) ?? [];
  if (revision !== commit && revision !== 'main') {
    return void refuse(response, 404, 'RevisionNotFound', `Invalid rev id: ${revision}`);
  }
  if (kind === 'revision') return void json(response, { _id: 'x', id: name, sha: commit, lastModified: 0 });
  if (kind === 'tree') return void json(response, Object.entries(repository.files).map(entry));
  if (repository.gated) return void refuse(response, 403, 'GatedRepo', 'Access to this model is restricted');
  const content = repository.files[path];
  if (content === undefined) return void refuse(response, 404, 'EntryNotFound', 'Entry not found');
  give(hub, Buffer.from(content as string), range, response);
}

function entry([path, content]: [string, Uint8Array | string]): object {
  const bytes = Buffer.from(content as string);
  const oid = createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const listed = { type: 'file', path, size: bytes.length, oid };
  return bytes.length < LARGE
    ? listed
    : { ...listed, lfs: { oid: sha256, size: bytes.length, pointerSize: 130 } };
}

function give(hub: FakeHub, content: Buffer, range: string | undefined, response: ServerResponse): void {
  const [, from = '0', to = String(content.length - 1)] = /^bytes=(\d+)-(\d*)$/.exec(range ?? '') ?? [];
  const part = content.subarray(Number(from), Number(to || content.length - 1) + 1);
  const headers = { etag: '"x"', 'accept-ranges': 'bytes', 'content-length': part.length };
  const place = `bytes ${from}-${Number(from) + part.length - 1}/${content.length}`;
  response.writeHead(range ? 206 : 200, range ? { ...headers, 'content-range': place } : headers);
  const { bytes, times } = hub.breakAfter;
  if (times === 0 || part.length < LARGE || part.length <= bytes) return void response.end(part);
  hub.breakAfter.times--;
  response.write(part.subarray(0, bytes), () => setTimeout(() => response.destroy(), 20));
}

function json(response: ServerResponse, value: unknown): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}

function refuse(response: ServerResponse, status: number, code: string | null, error: string): void {
  const headers = { 'content-type': 'application/json', ...(code && { 'x-error-code': code }) };
  response.writeHead(status, headers).end(JSON.stringify({ error }));
}
