const DEFAULT_TIMEOUT_MS = 60_000;

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

/** Send a request and read its answer to the end. Rejects when nothing answers, or not within `timeoutMs`. */
export async function send(
  base: string,
  request: CaseRequest,
  apiKey: string | null,
  timeoutMs = DEFAULT_TIMEOUT_MS,
): Promise<Answer> {
  const body = bodyOf(request);
  const response = await fetch(base + request.path, {
    method: request.method,
    headers: headersOf(request, apiKey),
    signal: AbortSignal.timeout(timeoutMs),
    ...(body === null ? {} : { body }),
  });
  const text = await response.text();
  const mediaType = response.headers.get('content-type')?.split(';')[0] ?? '';
  return {
    status: response.status,
    mediaType,
    headers: response.headers,
    text,
    json: mediaType === 'application/json' ? jsonOf(text) : null,
    events: mediaType === 'text/event-stream' ? dataOf(text) : null,
  };
}

/** The body as it is sent; null without one. */
export function bodyOf({ raw, body }: CaseRequest): string | null {
  return raw ?? (body === undefined ? null : JSON.stringify(body));
}

/** The headers as they are sent. An empty `authorization` in the case stands for none at all. */
export function headersOf(request: CaseRequest, apiKey: string | null): Headers {
  const headers = new Headers(request.headers);
  if (apiKey !== null && !headers.has('authorization')) headers.set('authorization', `Bearer ${apiKey}`);
  if (headers.get('authorization') === '') headers.delete('authorization');
  if (bodyOf(request) !== null && !headers.has('content-type')) {
    headers.set('content-type', 'application/json');
  }
  return headers;
}

/** The data of each event; comments are passed over. */
export function dataOf(stream: string): unknown[] {
  return stream
    .split('\n')
    .filter((line) => line.startsWith('data:'))
    .map((line) => line.slice(5).trim())
    .map((data) => (data === '[DONE]' ? data : jsonOf(data)));
}

/** JSON, or the text itself where it is none: the check of its shape then says so. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
