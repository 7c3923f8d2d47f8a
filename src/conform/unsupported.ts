import type { Answer } from './exchange.js';

/**
 * Why an answer means that the server does not have an operation of the contract, rather than that it gets it wrong;
 * null when it does not mean that. A 404 in the error envelope is about the model, so it counts as an answer.
 */
export function whyUnsupported(answer: Answer, tag: string | null): string | null {
  if (tag === null) return null;
  switch (answer.status) {
    case 404:
      return isEnvelope(answer.json) ? null : 'the server has no such path';
    case 405:
      return 'the server has this path for other methods only';
    case 501:
      return 'the server says that it does not implement this';
    case 403:
      return isEnvelope(answer.json) ? 'the server has this path turned off' : null;
    default:
      return null;
  }
}

function isEnvelope(json: unknown): boolean {
  return typeof json === 'object' && json !== null && 'error' in json;
}
