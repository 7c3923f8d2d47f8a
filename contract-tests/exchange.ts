/** A request of a contract case, and what came back. */
export interface CaseRequest {
  method: string;
  path: string;
  headers?: Record<string, string>;
  /** Sent as JSON. */
  body?: unknown;
  /** Sent as it is, instead of `body`. */
  raw?: string;
}

export interface Answer {
  status: number;
  /** Media type without parameters; empty without a body. */
  mediaType: string;
  headers: Headers;
  text: string;
  /** Parsed JSON, when the media type says so. */
  json: unknown;
  /** Parsed data of server-sent events, `[DONE]` as text; null for other answers. */
  events: unknown[] | null;
}

/** Send a request and read its answer to the end. */
export async function send(
  base: string,
  request: CaseRequest,
  authorization: string | null,
): Promise<Answer> {
  const headers = new Headers(request.headers);
  if (authorization !== null && !headers.has('authorization')) headers.set('authorization', authorization);
  if (headers.get('authorization') === '') headers.delete('authorization');
  const body = request.raw ?? (request.body === undefined ? undefined : JSON.stringify(request.body));
  if (body !== undefined && !headers.has('content-type')) headers.set('content-type', 'application/json');
  const response = await fetch(base + request.path, {
    method: request.method,
    headers,
    ...(body === undefined ? {} : { body }),
  });
  const text = await response.text();
  const mediaType = response.headers.get('content-type')?.split(';')[0] ?? '';
  return {
    status: response.status,
    mediaType,
    headers: response.headers,
    text,
    json: mediaType === 'application/json' ? JSON.parse(text) : null,
    events: mediaType === 'text/event-stream' ? dataOf(text) : null,
  };
}

/** The data of each event; comments are passed over. */
export function dataOf(stream: string): unknown[] {
  return stream
    .split('\n')
    .filter((line) => line.startsWith('data:'))
    .map((line) => line.slice(5).trim())
    .map((data) => (data === '[DONE]' ? data : JSON.parse(data)));
}
