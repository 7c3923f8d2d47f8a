import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import express from 'express';
import supertest from 'supertest';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pages } from './pages.js';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tito-pages-'));
  mkdirSync(join(folder, 'assets'));
  for (const name of ['playground', 'docs']) writeFileSync(join(folder, `${name}.html`), `<p>${name}</p>`);
  writeFileSync(join(folder, 'assets', 'a-0123456789.js'), '1;');
});
afterAll(() => rmSync(folder, { recursive: true }));

const ask = (path: string, from = folder) => supertest(express().use(pages(from))).get(path);

describe('pages', () => {
  it.each(['playground', 'docs'])('serve /%s, asked for anew each time', async (name) => {
    const { status, text, headers } = await ask(`/${name}`);
    expect([status, text]).toEqual([200, `<p>${name}</p>`]);
    expect(headers['cache-control']).toBe('no-cache');
  });

  it.each(['/playground', '/docs', '/web/a-0123456789.js'])(
    'let nothing but the server in, at %s',
    async (path) => {
      const { headers } = await ask(path);
      const policy = headers['content-security-policy']!;
      expect(policy).toContain("default-src 'none'; script-src 'self';");
      expect(policy).toContain("connect-src 'self';");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(/script-src[^;]*unsafe/.test(policy)).toBe(false);
      expect(policy.includes('unsafe')).toBe(path === '/docs');
      expect(headers['x-content-type-options']).toBe('nosniff');
      expect(headers['referrer-policy']).toBe('no-referrer');
    },
  );

  it('keep files that are named after their content', async () => {
    const { headers } = await ask('/web/a-0123456789.js');
    expect(headers['cache-control']).toBe('public, max-age=31536000, immutable');
    expect(headers['content-type']).toMatch(/^text\/javascript/);
  });

  it('send a path with a slash too many to the page', async () => {
    const { status, headers } = await ask('/playground/');
    expect([status, headers.location]).toEqual([308, '../playground']);
  });

  it.each([
    '/web/',
    '/web/other.js',
    '/web/../playground.html',
    '/web/%2e%2e/playground.html',
    '/Playground',
    '/playground.html',
  ])('have no %s', async (path) => {
    expect((await ask(path)).status).toBe(404);
  });

  it('are absent where they were not built', async () => {
    expect((await ask('/playground', join(folder, 'none'))).status).toBe(404);
  });
});
