import express, { type NextFunction, type Request, type RequestHandler, type Response } from 'express';
import { schemaFault } from '../errors.js';

const MAX_DEPTH = 1000;

/** Read the body's bytes, whatever its type; a larger one than `limitMiB` becomes a 413 in the error exit. */
export function readBody(limitMiB: number): RequestHandler {
  return express.raw({ type: () => true, limit: limitMiB * 1024 * 1024, inflate: true });
}

/** Turn the bytes into `request.body`. Throws a 400 for anything that is not a JSON document of sane depth. */
export function parseJsonBody(request: Request, _response: Response, next: NextFunction): void {
  const bytes = request.body as Buffer | undefined;
  const isEmpty = !Buffer.isBuffer(bytes) || bytes.length === 0;
  if (!isJson(request.get('content-type'))) {
    throw schemaFault(null, 'The body must be JSON: send it with Content-Type: application/json.');
  }
  if (isEmpty) throw schemaFault('body', 'The body is empty; a JSON object is needed.');
  const text = decode(bytes);
  if (nestsTooDeep(text)) throw schemaFault('body', `JSON may be nested at most ${MAX_DEPTH} levels deep.`);
  // The validator matches media types letter by letter.
  request.headers['content-type'] = 'application/json';
  request.body = parse(text);
  request.rawText = text;
  next();
}

declare module 'express-serve-static-core' {
  interface Request {
    /** The body as it was sent. */
    rawText?: string;
  }
}

function isJson(contentType: string | undefined): boolean {
  const essence = contentType?.split(';')[0]?.trim().toLowerCase() ?? '';
  return essence === 'application/json' || /^application\/.+\+json$/.test(essence);
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw schemaFault('body', 'The body is not UTF-8.');
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const [, position] = /position (\d+)/.exec((error as Error).message) ?? [];
    throw schemaFault(`body.${position ?? 0}`, `The body is not JSON: ${(error as Error).message}.`);
  }
}

function nestsTooDeep(text: string): boolean {
  let depth = 0;
  let inString = false;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (inString) {
      if (code === BACKSLASH) i++;
      else if (code === QUOTE) inString = false;
    } else if (code === QUOTE) inString = true;
    else if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      if (++depth > MAX_DEPTH) return true;
    } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) depth--;
  }
  return false;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
