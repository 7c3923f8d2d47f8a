import type { GenerateChunk, GenerateRequest, GenerateResponse } from '../generated/types.js';

/** A small caller for end-to-end tests: whole answers, and streams chunk by chunk. */
export class Caller {
  constructor(readonly url: string) {}

  post(path: string, body: unknown, init: RequestInit = {}): Promise<Response> {
    return fetch(this.url + path, {
      method: 'POST',
      ...init,
      headers: { 'content-type': 'application/json', ...init.headers },
      body: JSON.stringify(body),
    });
  }

  /** The whole answer; throws on anything but a 200. */
  async generate(request: GenerateRequest, init: RequestInit = {}): Promise<GenerateResponse> {
    const response = await this.post('/inference/v1/generate', request, init);
    if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`);
    return (await response.json()) as GenerateResponse;
  }

  /** Frames of a stream as they come: chunks, error envelopes, and `[DONE]`. */
  async *stream(request: GenerateRequest, init: RequestInit = {}): AsyncGenerator<Frame> {
    const response = await this.post('/inference/v1/generate', { ...request, stream: true }, init);
    if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`);
    let rest = '';
    for await (const text of response.body!.pipeThrough(new TextDecoderStream())) {
      const lines = (rest + text).split('\n');
      rest = lines.pop()!;
      for (const line of lines) if (line.startsWith('data: ')) yield frameOf(line.slice(6));
    }
  }

  abort(...request_ids: string[]): Promise<Response> {
    return this.post('/inference/v1/abort_requests', { request_ids });
  }

  /** The value of a metric without labels beside the model's. */
  async metric(name: string): Promise<number> {
    const text = await (await fetch(`${this.url}/metrics`)).text();
    return Number(new RegExp(`^${name}\\{[^}]*\\} (.+)$`, 'm').exec(text)?.[1]);
  }
}

export type Frame = { chunk: GenerateChunk } | { error: { message: string; code: number } } | { done: true };

function frameOf(data: string): Frame {
  if (data === '[DONE]') return { done: true };
  const json = JSON.parse(data) as GenerateChunk & { error?: { message: string; code: number } };
  return json.error ? { error: json.error } : { chunk: json };
}

/** Every frame of a stream. */
export async function framesOf(stream: AsyncIterable<Frame>): Promise<Frame[]> {
  const frames: Frame[] = [];
  for await (const frame of stream) frames.push(frame);
  return frames;
}

/** The output ids of a stream, by sequence. */
export function idsOf(frames: readonly Frame[]): number[][] {
  const ids: number[][] = [];
  for (const frame of frames) {
    if (!('chunk' in frame)) continue;
    for (const { index, token_ids } of frame.chunk.choices) {
      ids[index] ??= [];
      ids[index].push(...(token_ids ?? []));
    }
  }
  return ids;
}

/** Wait until a condition holds; throws after `ms`. */
export async function eventually(condition: () => Promise<boolean>, ms: number): Promise<void> {
  const deadline = Date.now() + ms;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`did not come about within ${ms} ms`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
