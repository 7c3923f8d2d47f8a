import { randomBytes } from 'node:crypto';
import type { NextFunction, Request, Response } from 'express';

const MAX_LENGTH = 128;

/** Echo the caller's `X-Request-Id`, or answer with one of our own. Ids unfit for a header are not echoed. */
export function echoRequestId(request: Request, response: Response, next: NextFunction): void {
  const sent = request.get('x-request-id');
  const isFit = sent !== undefined && sent.length <= MAX_LENGTH && /^[ -~]*$/.test(sent);
  response.set('X-Request-Id', isFit ? sent : randomBytes(8).toString('hex'));
  next();
}
