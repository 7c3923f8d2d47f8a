import { join } from 'node:path';
import express, { type RequestHandler, type Router } from 'express';
import { packageRoot } from '../package-info.js';

const FOLDER = join(packageRoot, 'dist', 'web');
const YEAR = '365d';

/** Nothing but this server's own files, and calls to this server. */
const STRICT = {
  'default-src': "'none'",
  'script-src': "'self'",
  'style-src': "'self'",
  'img-src': "'self' data:",
  'font-src': "'self'",
  'connect-src': "'self'",
  'base-uri': "'none'",
  'form-action': "'none'",
  'frame-ancestors': "'none'",
};

const PAGES = [
  { path: '/playground', file: 'playground.html', policy: STRICT },
  // The API reference writes its styles from its script.
  { path: '/docs', file: 'docs.html', policy: { ...STRICT, 'style-src': "'self' 'unsafe-inline'" } },
];

/**
 * The pages for people, `/playground` and `/docs`, and their files: static, open when an API key is set, and no part of
 * the contract. Where they were not built the paths do not exist.
 */
export function pages(folder = FOLDER): Router {
  const router = express.Router({ strict: true, caseSensitive: true });
  for (const { path, file, policy } of PAGES) {
    const headers = securityHeaders(policy);
    router.get(path, headers, (_, response, next) =>
      response.sendFile(
        file,
        { root: folder, cacheControl: false, headers: { 'Cache-Control': 'no-cache' } },
        (error) => (error && !response.headersSent ? next() : undefined),
      ),
    );
    // Files are named beside the page, so that it works below any path of a proxy.
    router.get(`${path}/`, (_, response) => response.redirect(308, `..${path}`));
  }
  router.use('/web', securityHeaders(STRICT), express.static(join(folder, 'assets'), FILES));
  return router;
}

/** A file's name holds a hash of its content. */
const FILES = { immutable: true, maxAge: YEAR, index: false, redirect: false };

function securityHeaders(policy: Readonly<Record<string, string>>): RequestHandler {
  const value = Object.entries(policy)
    .map(([name, sources]) => `${name} ${sources}`)
    .join('; ');
  return (_, response, next) => {
    response.set({
      'Content-Security-Policy': value,
      'X-Content-Type-Options': 'nosniff',
      'Referrer-Policy': 'no-referrer',
      'Cross-Origin-Resource-Policy': 'same-origin',
      'Permissions-Policy': 'camera=(), geolocation=(), microphone=()',
    });
    next();
  };
}
