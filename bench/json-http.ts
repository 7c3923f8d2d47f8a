import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';

/** Connections are kept: what is measured is requests. */
const kept = new Agent({ keepAlive: true });

/**
 * Send a JSON text, over a connection of its own when asked to: a server that closes idle ones may do so just when one is
 * used again. Resolves when the answer begins.
 */
export async function sendJson(url: string, body: string, ownConnection = false): Promise<IncomingMessage> {
  const agent = ownConnection ? false : kept;
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  const sent = request(url, { method: 'POST', headers, agent });
  sent.end(body);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return response;
}

/** What a request brought, and the milliseconds from its sending to the last byte of the answer. */
export interface Answered<Answer> {
  answer: Answer;
  ms: number;
}

/** Post a value and read the answer. Throws on any status but 200. */
export async function postJson<Answer>(url: string, value: object): Promise<Answered<Answer>> {
  const body = JSON.stringify(value);
  const started = performance.now();
  const response = await sendJson(url, body);
  const pieces: Buffer[] = [];
  for await (const piece of response) pieces.push(piece as Buffer);
  const ms = performance.now() - started;
  const text = Buffer.concat(pieces).toString();
  if (response.statusCode !== 200) throw new Error(`${url} answered ${response.statusCode}: ${text}`);
  return { answer: JSON.parse(text) as Answer, ms };
}
