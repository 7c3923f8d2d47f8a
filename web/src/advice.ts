import { ApiError, ConnectionError, TimeoutError } from '@titokens/client';
import { FieldError } from './form.js';

/** An error as the page shows it. */
export interface Advice {
  readonly title: string;
  /** In the server's own words, or the field's. */
  readonly message: string;
  /** What to do now. */
  readonly remedy: string;
  /** To find the request in the server's log. */
  readonly requestId: string | null;
  /** Whether the key is what to change. */
  readonly wantsKey: boolean;
}

/** What an error means to somebody in front of the page. */
export function adviceOn(error: unknown): Advice {
  const message = error instanceof Error ? error.message : String(error);
  const plain = { message, requestId: null, wantsKey: false };
  if (error instanceof FieldError) {
    return { ...plain, title: 'This can’t be sent yet', remedy: 'Correct the field and try again.' };
  }
  if (error instanceof ApiError) {
    const wantsKey = error.status === 401;
    return { message: messageOf(error), requestId: error.requestId, wantsKey, ...ofStatus(error) };
  }
  if (error instanceof ConnectionError) {
    return {
      ...plain,
      title: 'The connection failed',
      remedy: 'Is the server still running? Start it again and retry.',
    };
  }
  if (error instanceof TimeoutError) {
    return { ...plain, title: 'No answer', remedy: 'The server may be busy. Try again with fewer tokens.' };
  }
  return {
    ...plain,
    title: 'Something went wrong in this page',
    remedy: 'Reload it. If it happens again, please report it.',
  };
}

function messageOf({ message, param }: ApiError): string {
  return param && !message.includes(param) ? `${param}: ${message}` : message;
}

function ofStatus({ status, retryAfterMs }: ApiError): Pick<Advice, 'title' | 'remedy'> {
  switch (status) {
    case 400:
      return {
        title: 'The server can’t use this request',
        remedy: 'Correct the value it names and try again.',
      };
    case 401:
      return {
        title: 'This server needs an API key',
        remedy: 'Enter the key that the server was started with.',
      };
    case 403:
      return { title: 'The token paths are off', remedy: 'Start the server with --enable-scale-out.' };
    case 404:
      return {
        title: 'This server does not have that',
        remedy:
          'A render server has no model: use “Show tokens”, or open the playground of a server that generates.',
      };
    case 413:
      return {
        title: 'The request is too large',
        remedy: 'Shorten it, or start the server with a larger --max-body-size.',
      };
    case 503: {
      const wait =
        retryAfterMs === null ? 'in a moment' : `in ${Math.max(1, Math.round(retryAfterMs / 1000))} s`;
      return {
        title: 'The server is not ready',
        remedy: `It is loading, paused, full or shutting down. Try again ${wait}.`,
      };
    }
    default:
      return {
        title: `The server answered ${status}`,
        remedy: 'Send the request again. The server’s log says more.',
      };
  }
}
