import { createHash, timingSafeEqual } from 'node:crypto';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import type { UnauthorizedResponse } from '../../generated/types.js';

const GUARDED = ['/v1', '/v2', '/inference'];

const digest = (key: string): Buffer => createHash('sha256').update(key).digest();

/**
 * Refuse requests to guarded paths without `Authorization: Bearer KEY`, before routing, so that unknown paths give
 * nothing away. `OPTIONS` passes. Keys are compared by digest in constant time. `alsoGuarded` are further paths.
 */
export function requireApiKey(keys: readonly string[], alsoGuarded: readonly string[]): RequestHandler {
  const digests = keys.map(digest);
  const isGuarded = (path: string): boolean =>
    GUARDED.some((prefix) => path.startsWith(prefix)) || alsoGuarded.includes(path);
  return (request: Request, response: Response, next: NextFunction) => {
    if (digests.length === 0 || request.method === 'OPTIONS' || !isGuarded(request.path)) return next();
    if (isKnown(request.get('authorization'), digests)) return next();
    const body: UnauthorizedResponse = { error: 'Unauthorized' };
    response.status(401).json(body);
  };
}

function isKnown(header: string | undefined, digests: readonly Buffer[]): boolean {
  const [, key] = /^bearer (\S+)$/i.exec(header ?? '') ?? [];
  if (key === undefined) return false;
  const sent = digest(key);
  return digests.map((known) => timingSafeEqual(known, sent)).includes(true);
}
