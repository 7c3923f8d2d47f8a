import { ConnectionError, UnavailableError } from './errors.js';

const FIRST_WAIT_MS = 200;
const LONGEST_WAIT_MS = 30_000;

/**
 * Try again after a 503 and after a lost connection, as often as `retries` says; wait as `Retry-After` says, or twice
 * as long each time. `attempt` must not have given anything out when it throws one of these.
 */
export async function withRetries<T>(
  attempt: () => Promise<T>,
  retries: number,
  signal: AbortSignal | undefined,
): Promise<T> {
  for (let tries = 0; ; tries++) {
    try {
      return await attempt();
    } catch (error) {
      const mayPass = error instanceof UnavailableError || error instanceof ConnectionError;
      if (!mayPass || tries >= retries || signal?.aborted) throw error;
      await pause(waitFor(error, tries), signal);
      if (signal?.aborted) throw error;
    }
  }
}

function waitFor(error: Error, tries: number): number {
  const asked = error instanceof UnavailableError ? error.retryAfterMs : null;
  // Spread out, so that the workers of a pool do not come back all at once.
  const grown = FIRST_WAIT_MS * 2 ** tries * (1 + Math.random() / 2);
  return Math.min(asked ?? grown, LONGEST_WAIT_MS);
}

/** Resolves after `ms`, or once the signal fires. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal?.addEventListener('abort', done);
    if (signal?.aborted) done();
  });
}

/** `Retry-After` in milliseconds: a number of seconds, or a date; null when it is neither. */
export function retryAfterOf(header: string | null, now = Date.now()): number | null {
  if (header === null) return null;
  const seconds = Number(header);
  if (header.trim() !== '' && Number.isFinite(seconds)) return Math.max(0, seconds * 1000);
  const date = Date.parse(header);
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}
