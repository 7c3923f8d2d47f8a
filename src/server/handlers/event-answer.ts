import type { Response } from 'express';
import { envelope, toApiError } from '../error-exit.js';
import { EventStream } from '../sse.js';
import type { ServerState } from '../state.js';

/**
 * Answer with events. Nothing is written before there is something to say, so that an early error keeps its
 * status; a later one becomes an error frame. `[DONE]` is always last.
 */
export async function eventAnswer(
  state: ServerState,
  response: Response,
  requestId: string,
  chunks: AsyncGenerator<object>,
): Promise<void> {
  let next = await chunks.next();
  const events = new EventStream(response);
  try {
    for (; !next.done; next = await chunks.next()) await events.send(next.value);
  } catch (error) {
    state.log.error({ err: error, requestId }, 'stream failed');
    await events.send(envelope(toApiError(error, state.config.maxBodySize ?? 0)));
  } finally {
    await events.done();
  }
}
