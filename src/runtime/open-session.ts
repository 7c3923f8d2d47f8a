import { openCApiSession } from './c-api-session.js';
import { openNodeSession } from './node-session.js';
import type { RuntimeBackend, Session, SessionOptions } from './session.js';

/** Load a graph with the chosen backend. Rejects with ONNX Runtime's message when the graph can't be loaded. */
export async function openSession(
  graphPath: string,
  options: SessionOptions & { backend: RuntimeBackend },
): Promise<Session> {
  return options.backend === 'c-api'
    ? openCApiSession(graphPath, options)
    : openNodeSession(graphPath, options);
}
