import type { RunningServer } from './own-server.js';

/** Asks for the server's health again and again until a request is answered; with the slowest answer in milliseconds. */
export async function besideHealth<T>(
  { url }: RunningServer,
  request: Promise<T>,
): Promise<{ answer: T; slowest: number }> {
  let isDone = false;
  const long = request.finally(() => {
    isDone = true;
  });
  let slowest = 0;
  do {
    const start = performance.now();
    const { status } = await fetch(`${url}/health`);
    if (status !== 200) throw new Error(`/health answered ${status}`);
    slowest = Math.max(slowest, performance.now() - start);
  } while (!isDone);
  return { answer: await long, slowest };
}
